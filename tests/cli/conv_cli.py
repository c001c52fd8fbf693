# SPDX-License-Identifier: MIT
"""Tests `wavetile conv` on .npy files: results against NumPy, what it says of random inputs, and every mistake a user can make: exit
code, one sentence that names it, no file left behind. Usage: conv_cli.py WAVETILE WORK_FOLDER"""

import csv
import io
import json
import os

import numpy as np

from arrays import DEVICES, load, rounded, save
from cli import check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "8"))


def convolved(x, w, stride, pad, dilation):
    """Computes the definition, for whole numbers: pad is above, below, left, right."""
    padded = np.pad(x, ((0, 0), pad[:2], pad[2:], (0, 0)))
    span = [(w.shape[1 + i] - 1) * dilation[i] for i in range(2)]
    p, q = ((padded.shape[1 + i] - span[i] - 1) // stride[i] + 1 for i in range(2))
    y = np.zeros((x.shape[0], p, q, w.shape[0]))
    for r in range(w.shape[1]):
        for s in range(w.shape[2]):
            top, left = r * dilation[0], s * dilation[1]
            rows = padded[:, top:top + (p - 1) * stride[0] + 1:stride[0], left:left + (q - 1) * stride[1] + 1:stride[1]]
            y += rows @ w[:, r, s].T
    return y


def gradient(dy, w, shape, stride, pad, dilation):
    """Computes the definition, from dY's side: every output pixel gives to the pixels that the filter covers."""
    n, h, width, channels = shape
    padded = np.zeros((n, h + pad[0] + pad[1], width + pad[2] + pad[3], channels))
    for r in range(w.shape[1]):
        for s in range(w.shape[2]):
            top, left = r * dilation[0], s * dilation[1]
            rows = slice(top, top + (dy.shape[1] - 1) * stride[0] + 1, stride[0])
            columns = slice(left, left + (dy.shape[2] - 1) * stride[1] + 1, stride[1])
            padded[:, rows, columns] += dy @ w[:, r, s]
    return padded[:, pad[0]:pad[0] + h, pad[2]:pad[2] + width]


def test_results(rng):
    for case in range(8):
        device, dtype = DEVICES[case % 2], ("bf16", "f16", "f8e4m3", "f8e5m2")[case // 2]
        channels = 16 * int(rng.integers(1, 4)) if case % 3 else int(rng.integers(1, 9))
        x = rng.integers(-3, 4, (int(rng.integers(1, 3)), int(rng.integers(5, 12)), int(rng.integers(5, 12)), channels))
        w = rng.integers(-3, 4, (int(rng.integers(1, 70)), int(rng.integers(1, 4)), int(rng.integers(1, 4)), channels))
        scale, bias = 2.0 ** rng.integers(-1, 3, w.shape[0]), rng.integers(-9, 10, w.shape[0]).astype(float)
        stride, dilation = rng.integers(1, 4, 2), rng.integers(1, 3, 2)
        pad = [int(n) for n in rng.integers(0, 3, 4)]
        name = f"case {case}: {dtype} {x.shape} {w.shape} stride {stride} pad {pad} dilation {dilation} on {device}"
        type_y = ("f32", "bf16", "f16")[case % 3]
        result = run("--images", save("x.npy", x), "--filters", save("w.npy", w), "--filter-scale", save("s.npy", scale), "--bias",
                     save("b.npy", bias), "--stride", f"{stride[0]}x{stride[1]}", "--dilation", f"{dilation[0]}x{dilation[1]}",
                     "--pad", "x".join(map(str, pad)), "--alpha", "0.5", "--activation", "relu", "--dtype", dtype, "--type-y", type_y,
                     "--device", device, "--out", "y.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        want = rounded(np.maximum(convolved(x, w, stride, pad, dilation) * scale * 0.5 + bias, 0), type_y)
        got = load("y.npy")
        check(got.shape == want.shape and (got == want).all(), f"{name}: {got.shape}, expected {want.shape}")


def test_gradients(rng):
    for case in range(6):
        device, dtype = DEVICES[case % 2], ("bf16", "f16", "f8e4m3")[case // 2]
        shape = (int(rng.integers(1, 3)), int(rng.integers(5, 12)), int(rng.integers(5, 12)), int(rng.integers(1, 40)))
        w = rng.integers(-3, 4, (16 * int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 4)), shape[3]))
        stride = rng.integers(1, 4, 2) if case % 2 else np.array((1, 1))
        dilation, pad = rng.integers(1, 3, 2), [int(n) for n in rng.integers(0, 3, 4)]
        p, q = ((shape[1 + i] + pad[2 * i] + pad[2 * i + 1] - (w.shape[1 + i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(2))
        dy = rng.integers(-3, 4, (shape[0], p, q, w.shape[0]))
        name = f"gradient {case}: {dtype} {shape} {w.shape} stride {stride} pad {pad} dilation {dilation} on {device}"
        result = run("--images", save("x.npy", np.zeros(shape)), "--filters", save("w.npy", w), "--dy", save("dy.npy", dy), "--stride",
                     f"{stride[0]}x{stride[1]}", "--dilation", f"{dilation[0]}x{dilation[1]}", "--pad", "x".join(map(str, pad)),
                     "--alpha", "2", "--dtype", dtype, "--device", device, "--dx", "dx.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        want, got = 2 * gradient(dy, w, shape, stride, pad, dilation), load("dx.npy")
        check(got.shape == want.shape and (got == want).all(), f"{name}: {got.shape}, expected {want.shape}")


def filters_gradient(dy, x, shape, stride, pad, dilation):
    """Sums over all output pixels, tap by tap."""
    padded = np.pad(x, ((0, 0), (pad[0], pad[1]), (pad[2], pad[3]), (0, 0)))
    dw = np.zeros(shape)
    for r in range(shape[1]):
        for s in range(shape[2]):
            rows = slice(r * dilation[0], r * dilation[0] + (dy.shape[1] - 1) * stride[0] + 1, stride[0])
            columns = slice(s * dilation[1], s * dilation[1] + (dy.shape[2] - 1) * stride[1] + 1, stride[1])
            dw[:, r, s, :] = np.einsum("npqk,npqc->kc", dy, padded[:, rows, columns, :])
    return dw


def test_gradients_by_filters(rng):
    for case in range(6):
        device, dtype = DEVICES[case % 2], ("bf16", "f16", "f8e4m3")[case // 2]
        x = rng.integers(-3, 4, (2, 9, 11, 8 * int(rng.integers(1, 5))))
        shape = (8 * int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 4)), x.shape[3])
        stride, dilation, pad = rng.integers(1, 3, 2), rng.integers(1, 3, 2), [int(n) for n in rng.integers(0, 3, 4)]
        p, q = ((x.shape[1 + i] + pad[2 * i] + pad[2 * i + 1] - (shape[1 + i] - 1) * dilation[i] - 1) // stride[i] + 1 for i in range(2))
        dy = rng.integers(-3, 4, (2, p, q, shape[0]))
        name = f"gradient of filters {case}: {dtype} {x.shape} {shape} stride {stride} pad {pad} dilation {dilation} on {device}"
        result = run("--images", save("x.npy", x), "--filters", save("w.npy", np.zeros(shape)), "--dy", save("dy.npy", dy), "--stride",
                     f"{stride[0]}x{stride[1]}", "--dilation", f"{dilation[0]}x{dilation[1]}", "--pad", "x".join(map(str, pad)),
                     "--alpha", "0.5", "--dtype", dtype, "--device", device, "--dfilters", "dw.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        want, got = 0.5 * filters_gradient(dy, x, shape, stride, pad, dilation), load("dw.npy")
        check(got.shape == want.shape and (got == want).all(), f"{name}: {got.shape}, expected {want.shape}")


def test_random():
    result = run("--n", "1,2", "--h", 5, "--w", 6, "--c", 16, "--k", 9, "--r", 3, "--s", 2, "--pad", 1, "--csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    check(result.returncode == 0 and [row["n"] for row in rows] == ["1", "2"], f"sweep: {result.stdout} {result.stderr}")
    check(all(row["verdict"] == "correct" and row["rows"] == str(5 * 7 * int(row["n"])) for row in rows), f"sweep: {rows}")
    result = run("--h", 8, "--c", 64, "--k", 64, "--r", 3, "--activation", "gelu", "--kernel", "conv_4wave_64x64", "--predict", "--json")
    record = json.loads(result.stdout)[0] if result.returncode == 0 else {}
    check(record.get("kernel") == "conv_4wave_64x64" and record.get("verdict") == "correct", f"json: {result.stdout} {result.stderr}")
    result = run("--h", 6, "--c", 24, "--k", 16, "--r", 3, "--pad", 1, "--backward", "--csv")
    row = next(csv.DictReader(io.StringIO(result.stdout)), {})
    errors = [float(row.get(f"error_of_bound_{name}") or "nan") for name in ("y", "dx")]
    check(row.get("verdict") == "correct" and all(0 <= error <= 1 for error in errors), f"backward: {result.stdout} {result.stderr}")
    result = run("--n", 4, "--h", 10, "--c", 24, "--k", 16, "--r", 3, "--stride", 2, "--backward", "--gradient", "both", "--json")
    record = json.loads(result.stdout)[0] if result.returncode == 0 else {}
    errors = [float(record.get(f"error_of_bound_{name}", "nan")) for name in ("dx", "dw")]
    check(record.get("gradient") == "both" and all(0 <= error <= 1 for error in errors), f"both: {result.stdout} {result.stderr}")


def test_mistakes():
    x, w = save("x.npy", np.ones((1, 4, 5, 8), np.float32)), save("w.npy", np.ones((3, 3, 3, 8), np.float32))
    good = ["--images", x, "--filters", w, "--out", "y.npy"]
    sizes = ["--h", 4, "--c", 8, "--k", 3, "--r", 3]
    refused("nothing", ["--images is missing"])
    refused("no filters", ["--filters is missing"], "--images", x, "--out", "y.npy")
    refused("no output", ["--out is missing"], "--images", x, "--filters", w)
    refused("both sources", ["files and sizes"], *good, "--k", 3)
    refused("a missing size", ["--r is missing"], "--h", 4, "--c", 8, "--k", 3)
    refused("stride of 0", ['--stride is "0"', "from 1"], *sizes, "--stride", "0")
    refused("three strides", ['--stride is "1x2x3"'], *sizes, "--stride", "1x2x3")
    refused("dilation", ['--dilation is "x"'], *sizes, "--dilation", "x")
    refused("padding", ['--pad is "1x2x3"', "four"], *sizes, "--pad", "1x2x3")
    refused("negative padding", ['--pad is "-1"'], *sizes, "--pad", "-1")
    refused("activation", ['--activation is "elu"'], *sizes, "--activation", "elu")
    refused("type", ['--dtype is "i8"', "f8e4m3"], *sizes, "--dtype", "i8")
    refused("type of Y", ['--type-y is "i32"', "f16"], *sizes, "--type-y", "i32")
    refused("large filter", ["--r is 5, but --h and --pad make 4 rows", "a smaller --r or more --pad"], *sizes[:-1], 5)
    refused("wide filter", ["--s is 3 with --dilation 2, but --w and --pad make 4 columns"], *sizes[:-1], 1, "--s", 3, "--w", 4, "--dilation", 2)
    refused("large filter of a file", ["--filters w.npy has 3 rows with --dilation 2, but --images x.npy and --pad make 4"], *good, "--dilation", 2)
    refused("channels", ["--filters f.npy is 3 x 3 x 3 x 7", "3 x 3 x 3 x 8"], "--images", x, "--out", "y.npy", "--filters",
            save("f.npy", np.ones((3, 3, 3, 7), np.float32)))
    refused("a long bias", ["--bias b.npy is 4", "must be 3"], *good, "--bias", save("b.npy", np.ones(4, np.float32)))
    refused("a matrix", ["--images b.npy", "dimension"], "--images", "b.npy", "--filters", w, "--out", "y.npy")
    refused("beyond FP8", ["--images holds 300", "f8e4m3", "--alpha"], "--images", save("l.npy", np.full((1, 4, 5, 8), 300, np.float32)),
            "--filters", w, "--out", "y.npy", "--dtype", "f8e4m3")
    refused("a bias of a gradient", ["--bias is given", "dY"], "--images", x, "--filters", w, "--bias", save("b3.npy", np.ones(3, np.float32)),
            "--dy", save("dy.npy", np.ones((1, 2, 3, 3), np.float32)), "--dx", "dx.npy")
    refused("an activation of a gradient", ["--activation is given"], *sizes, "--backward", "--activation", "relu")
    refused("a short dY", ["--dy dy.npy is 1 x 2 x 3 x 3", "1 x 4 x 5 x 3"], "--images", x, "--filters", w, "--dy", "dy.npy", "--dx",
            "dx.npy", "--pad", "1")
    refused("gradient", ['--gradient is "w"', "images, filters or both"], *sizes, "--backward", "--gradient", "w")
    refused("a gradient of no backward pass", ["--gradient is filters, but there is no --backward", "leave --gradient out"], *sizes, "--gradient",
            "filters")
    refused("a gradient of files", ["--gradient is both, but it is for random inputs", "--dfilters"], *good, "--gradient", "both")
    refused("kernel", ["conv_of_nothing"], *sizes, "--kernel", "conv_of_nothing")
    refused("device", ["--device"], *sizes, "--device", "sim:mi1")


start("conv")
print("seed", SEED)
test_results(np.random.default_rng(SEED))
test_gradients(np.random.default_rng(SEED + 1))
test_gradients_by_filters(np.random.default_rng(SEED + 2))
test_random()
test_mistakes()
finish()
