# SPDX-License-Identifier: MIT
"""Tests `wavetile grouped` on .npy files: results against NumPy, what it says of random inputs, and every mistake a user can make: exit
code, one sentence that names it, no file left behind. Usage: grouped_cli.py WAVETILE WORK_FOLDER"""

import csv
import io
import json
import os

import numpy as np

from arrays import DEVICES, load, rounded, save
from cli import check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "9"))


def shares(rng, groups):
    """Returns rows of each group, some of them empty."""
    return rng.integers(0, 40, groups) * rng.integers(0, 2, groups)


def laid(rng, contract, counts):
    """Returns the rows of X, the array that says whose they are, and the rows of each group."""
    most, total = max(int(counts.max()), 1), int(counts.sum())
    if contract == "masked":
        return most, counts, [np.arange(n) + g * most for g, n in enumerate(counts)]
    first = int(rng.integers(0, 3))
    starts = first + np.concatenate(([0], np.cumsum(counts)))
    of_group = [np.arange(starts[g], starts[g + 1]) for g in range(len(counts))]
    m = first + total + int(rng.integers(0, 3)) + (total == 0)
    if contract == "offsets":
        return m, starts, of_group
    owner = np.full(m, -1)
    for g, rows in enumerate(of_group):
        owner[rows] = g
    return m, owner, of_group


def numbers(rng, *shape):
    return rng.integers(-3, 4, shape).astype(np.float64)


def test_results(rng):
    for case in range(9):
        device, dtype, contract = DEVICES[case % 2], ("bf16", "f16", "f8e4m3")[case % 3], ("offsets", "indices", "masked")[case // 3]
        groups, n, k = int(rng.integers(1, 6)), int(rng.integers(1, 70)), 8 * int(rng.integers(1, 30))
        m, places, of_group = laid(rng, contract, shares(rng, groups))
        rows = m * (groups if contract == "masked" else 1)
        x, w, bias = numbers(rng, rows, k), numbers(rng, groups, n, k), numbers(rng, groups, n)
        scale, by_row, by_column = (2.0 ** rng.integers(-1, 2, shape) for shape in (groups, rows, (groups, n)))
        name = f"case {case}: {dtype} {contract} {places.tolist()} n {n} k {k} on {device}"
        shaped = (groups, m) if contract == "masked" else (m,)
        result = run("--x", save("x.npy", x.reshape(*shaped, k)), "--w", save("w.npy", w), "--rows", save("r.npy", places), "--contract",
                     contract, "--group-scale", save("g.npy", scale), "--row-scale", save("s.npy", by_row), "--column-scale",
                     save("c.npy", by_column), "--bias", save("b.npy", bias), "--activation", "relu", "--dtype", dtype, "--device", device,
                     "--out", "y.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        want = np.zeros((rows, n))
        for g, at in enumerate(of_group):
            want[at] = np.maximum(x[at] @ w[g].T * scale[g] * by_row[at, None] * by_column[g] + bias[g], 0)
        got = load("y.npy")
        check(got.shape == (*shaped, n) and (got.reshape(rows, n) == rounded(want, "f32")).all(), f"{name}: results differ")


def test_scales(rng):
    for case in range(12):
        contract, kind = ("offsets", "indices", "masked")[case // 4], ("tiles", "rows", "power-of-two", "power-of-two-rows")[case % 4]
        device = DEVICES[0 if kind.startswith("power") else case // 2 % 2]
        groups, n, k = int(rng.integers(1, 6)), int(rng.integers(1, 300)), int(rng.integers(1, 500))
        if kind.startswith("power"):
            k = (k + 31) // 32 * 32
        m, places, of_group = laid(rng, contract, shares(rng, groups))
        rows, blocks = m * (groups if contract == "masked" else 1), (k + 127) // 128
        heights = n if kind.endswith("rows") else (n + 127) // 128
        x, w = numbers(rng, rows, k), numbers(rng, groups, n, k)
        of_x, of_w = 2.0 ** rng.integers(-1, 2, (rows, blocks)), 2.0 ** rng.integers(-1, 2, (groups, heights, blocks))
        shaped = (groups, m) if contract == "masked" else (m,)
        name = f"scales {case}: {kind} {contract} {places.tolist()} n {n} k {k} on {device}"
        result = run("--x", save("x.npy", x.reshape(*shaped, k)), "--w", save("w.npy", w), "--rows", save("r.npy", places), "--contract",
                     contract, "--scales", kind, "--x-scale", save("xs.npy", of_x.reshape(*shaped, blocks)), "--w-scale",
                     save("ws.npy", of_w), "--dtype", "f8e4m3", "--device", device, "--out", "y.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        x_scaled = x * np.repeat(of_x, 128, axis=1)[:, :k]
        by_row = np.repeat(of_w, 1 if kind.endswith("rows") else 128, axis=1)[:, :n]
        w_scaled = w * np.repeat(by_row, 128, axis=2)[:, :, :k]
        want = np.zeros((rows, n))
        for g, at in enumerate(of_group):
            want[at] = x_scaled[at] @ w_scaled[g].T
        got = load("y.npy")
        check(got.shape == (*shaped, n) and (got.reshape(rows, n) == rounded(want, "f32")).all(), f"{name}: results differ")


def test_powers_of_two():
    """Kernels for powers of two are taken, and files must have them where they are promised."""
    for scales, kernel in (("power-of-two", "grouped_block_powers_tiles_"), ("power-of-two-rows", "grouped_block_powers_rows_")):
        result = run("--groups", 2, "--m", 40, "--n", 48, "--k", 160, "--dtype", "f8e4m3", "--scales", scales, "--device", DEVICES[0], "--json")
        record = json.loads(result.stdout)[0] if result.returncode == 0 else {}
        check(record.get("kernel", "").startswith(kernel) and (record["scales"], record["verdict"]) == (scales, "correct"),
              f"{scales}: {result.stdout} {result.stderr}")
    scale = np.ones((2, 1, 2), np.float32)
    scale[1, 0, 1] = 0.75
    refused("another number", ["--w-scale ws.npy", "[1, 0, 1] is 0.75, no power of two", "--scales tiles"], "--x", save("x.npy", np.ones((6, 160), np.float32)), "--w",
            save("w.npy", np.ones((2, 5, 160), np.float32)), "--rows", save("r.npy", np.array([0, 2, 6])), "--x-scale", save("xs.npy", np.ones((6, 2), np.float32)), "--w-scale",
            save("ws.npy", scale), "--dtype", "f8e4m3", "--out", "y.npy", "--scales", "power-of-two")


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def packed(rng, *shape):
    """Returns random E2M1 elements: two to a byte, the first in the low bits, and their numbers."""
    codes = rng.integers(0, 16, shape)
    return (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8), E2M1[codes & 7] * np.where(codes & 8, -1, 1)


def test_mx_of_bf16(rng):
    """X of bf16 has no scales."""
    groups, n, k = 4, 70, 416
    m, places, of_group = laid(rng, "offsets", shares(rng, groups))
    x, (w, w_values) = rng.integers(-3, 4, (m, k)), packed(rng, groups, n, k)
    of_w = rng.integers(126, 129, (groups, n, k // 32)).astype(np.uint8)
    files = ["--x", save("x.npy", x.astype(np.float32)), "--w", save("w.npy", w), "--rows", save("r.npy", places), "--scales", "mx", "--w-scale",
             save("ws.npy", of_w), "--type-x", "bf16", "--out", "y.npy"]
    result = run(*files, "--device", "sim:mi355x", "--dtype", "bf16", "--verify")
    check(result.returncode == 0 and "correct" in result.stdout, f"bf16: {result.stdout} {result.stderr}")
    want, w_scaled = np.zeros((m, n)), w_values * np.repeat(2.0 ** (of_w - 127.0), 32, axis=2)
    for g, at in enumerate(of_group):
        want[at] = x[at] @ w_scaled[g].T
    check((np.abs(load("y.npy") - want) <= 2.0**-8 * np.abs(want)).all(), "bf16: results differ")
    refused("X of bf16 in another type", ["--type-x is bf16", "--dtype bf16"], *files, "--dtype", "f16")
    refused("scales of X of bf16", ["--x-scale is given", "no scales"], *files, "--dtype", "bf16", "--x-scale", "ws.npy")


def test_mx(rng):
    for case in range(3):
        contract = ("offsets", "indices", "masked")[case]
        groups, n, k = int(rng.integers(1, 6)), int(rng.integers(1, 300)), 32 * int(rng.integers(1, 30))
        m, places, of_group = laid(rng, contract, shares(rng, groups))
        rows = m * (groups if contract == "masked" else 1)
        (x, x_values), (w, w_values) = packed(rng, rows, k), packed(rng, groups, n, k)
        of_x, of_w = (rng.integers(126, 129, (*shape, k // 32)).astype(np.uint8) for shape in ((rows,), (groups, n)))
        shaped = (groups, m) if contract == "masked" else (m,)
        name = f"mx {case}: {contract} {places.tolist()} n {n} k {k}"
        result = run("--x", save("x.npy", x.reshape(*shaped, k // 2)), "--w", save("w.npy", w), "--rows", save("r.npy", places), "--contract",
                     contract, "--scales", "mx", "--x-scale", save("xs.npy", of_x.reshape(*shaped, k // 32)), "--w-scale",
                     save("ws.npy", of_w), "--device", "sim:mi355x", "--out", "y.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        x_scaled, w_scaled = x_values * np.repeat(2.0 ** (of_x - 127.0), 32, axis=1), w_values * np.repeat(2.0 ** (of_w - 127.0), 32, axis=2)
        want = np.zeros((rows, n))
        for g, at in enumerate(of_group):
            want[at] = x_scaled[at] @ w_scaled[g].T
        got = load("y.npy")
        check(got.shape == (*shaped, n) and (got.reshape(rows, n) == want).all(), f"{name}: results differ")
    for types in (("f8e4m3", "f4e2m1"), ("f6e3m2", "f6e3m2"), ("bf16", "f4e2m1")):
        result = run("--groups", 3, "--m", 50, "--n", 40, "--k", 96, "--scales", "mx", "--type-x", types[0], "--type-w", types[1], "--dtype", "bf16", "--json")
        record = json.loads(result.stdout)[0] if result.returncode == 0 else {}
        check((record.get("type_x"), record.get("type_w"), record.get("verdict")) == (*types, "correct"), f"{types}: {result.stdout}")


def test_gradients(rng):
    for case in range(6):
        device, dtype, contract = DEVICES[case % 2], ("bf16", "f16", "f8e5m2")[case % 3], ("offsets", "indices", "masked")[case // 2]
        groups, n, k = int(rng.integers(1, 6)), int(rng.integers(1, 50)), int(rng.integers(1, 90))
        m, places, of_group = laid(rng, contract, shares(rng, groups))
        rows = m * (groups if contract == "masked" else 1)
        x, w, dy = numbers(rng, rows, k), numbers(rng, groups, n, k), numbers(rng, rows, n)
        shaped = (groups, m) if contract == "masked" else (m,)
        name = f"gradient {case}: {dtype} {contract} {places.tolist()} n {n} k {k} on {device}"
        result = run("--x", save("x.npy", x.reshape(*shaped, k)), "--w", save("w.npy", w), "--rows", save("r.npy", places), "--contract",
                     contract, "--dy", save("dy.npy", dy.reshape(*shaped, n)), "--alpha", "2", "--dtype", dtype, "--device", device,
                     "--dx", "dx.npy", "--dw", "dw.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        dx, dw = np.zeros((rows, k)), np.zeros((groups, n, k))
        for g, at in enumerate(of_group):
            dx[at], dw[g] = 2 * dy[at] @ w[g], 2 * dy[at].T @ x[at]
        check((load("dx.npy").reshape(rows, k) == dx).all() and (load("dw.npy") == dw).all(), f"{name}: gradients differ")


def test_factors_of_gradients(rng):
    """Rows and columns of a gradient have factors of their own."""
    groups, n, k = 3, 24, 40
    m, places, of_group = laid(rng, "offsets", shares(rng, groups))
    x, w, dy = numbers(rng, m, k), numbers(rng, groups, n, k), numbers(rng, m, n)
    files = ["--x", save("x.npy", x), "--w", save("w.npy", w), "--rows", save("r.npy", places), "--dy", save("dy.npy", dy), "--verify"]
    dx, dw = np.zeros((m, k)), np.zeros((groups, n, k))
    of_rows, of_lines, of_columns = (2.0 ** rng.integers(-1, 2, shape) for shape in (m, (groups, n), (groups, k)))
    for g, at in enumerate(of_group):
        dx[at] = dy[at] @ w[g] * of_rows[at, None] * of_columns[g]
        dw[g] = dy[at].T @ x[at] * of_lines[g][:, None] * of_columns[g]
    columns = ["--column-scale", save("c.npy", of_columns)]
    for device, out, rows, want in zip(DEVICES, ("dx", "dw"), (of_rows, of_lines), (dx, dw)):
        result = run(*files, *columns, "--row-scale", save("s.npy", rows), "--device", device, "--dtype", "f8e5m2", f"--{out}", "d.npy")
        check(result.returncode == 0 and "correct" in result.stdout, f"factors of {out}: {result.stdout} {result.stderr}")
        check((load("d.npy") == want).all(), f"factors of {out}: it differs")


def blocked(rng, scales, *shape):
    """A matrix in MXFP4 or of FP8 with F32 scales for 128 columns: what files hold, their scales, and the numbers."""
    elements = 32 if scales == "mx" else 128
    blocks = -(-shape[-1] // elements)
    exponents = rng.integers(-1, 2, (*shape[:-1], blocks))
    memory, values = packed(rng, *shape) if scales == "mx" else (numbers(rng, *shape),) * 2
    scale = (exponents + 127).astype(np.uint8) if scales == "mx" else (2.0**exponents).astype(np.float32)
    return memory, scale, values * np.repeat(2.0**exponents, elements, axis=-1)[..., : shape[-1]]


def test_scaled_gradients(rng):
    for case in range(6):
        scales, contract = ("mx", "rows")[case % 2], ("offsets", "indices", "masked")[case // 2]
        block, device = (32, "sim:mi355x") if scales == "mx" else (128, DEVICES[case // 2 % 2])
        dtype = [] if scales == "mx" else ["--dtype", "f8e4m3"]
        groups, n, k = int(rng.integers(1, 6)), 32 * int(rng.integers(1, 9)), int(rng.integers(1, 90))
        m, places, of_group = laid(rng, contract, shares(rng, groups))
        rows, shaped = m * (groups if contract == "masked" else 1), (groups, m) if contract == "masked" else (m,)
        (dy, of_dy, dy_values), (w, of_w, w_values) = blocked(rng, scales, rows, n), blocked(rng, scales, groups, k, n)
        name = f"{scales} gradient {case}: {contract} {places.tolist()} n {n} k {k} on {device}"
        result = run("--dy", save("dy.npy", dy.reshape(*shaped, -1)), "--dy-scale", save("ds.npy", of_dy.reshape(*shaped, -1)), "--w",
                     save("w.npy", w), "--w-scale", save("ws.npy", of_w), "--rows", save("r.npy", places), "--contract", contract, "--scales",
                     scales, *dtype, "--device", device, "--dx", "dx.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        dx = np.zeros((rows, k))
        for g, at in enumerate(of_group):
            dx[at] = dy_values[at] @ w_values[g].T
        check((load("dx.npy").reshape(rows, k) == dx).all(), f"{name}: dX differs")

        # Tokens along rows: groups begin with a block, and what is left of their last one is zero.
        counts = rng.integers(0, 3, groups) * block
        m = int(counts.max() if contract == "masked" else counts.sum()) + block
        starts = np.concatenate(([0], np.cumsum(counts)))
        of_group = [np.arange(n) + (g * m if contract == "masked" else starts[g]) for g, n in enumerate(counts)]
        places = {"offsets": starts, "masked": counts, "indices": np.concatenate((np.repeat(np.arange(groups), counts), np.full(block, -1)))}[contract]
        tokens, groups = m * (groups if contract == "masked" else 1), max(g for g in range(groups) if g == 0 or counts[g] > 0 or contract != "indices") + 1
        (dy, of_dy, dy_values), (x, of_x, x_values) = blocked(rng, scales, n, tokens), blocked(rng, scales, k, tokens)
        result = run("--dy", save("dy.npy", dy), "--dy-scale", save("ds.npy", of_dy), "--x", save("x.npy", x), "--x-scale", save("xs.npy", of_x),
                     "--rows", save("r.npy", places), "--contract", contract, "--scales", scales, *dtype, "--device", device, "--dw", "dw.npy",
                     "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        dw = np.stack([dy_values[:, of_group[g]] @ x_values[:, of_group[g]].T for g in range(groups)])
        got = load("dw.npy") if result.returncode == 0 else np.zeros(0)
        check(got.shape == dw.shape and (got == dw).all(), f"{name}: dW differs")


def test_random():
    sizes = ["--m", 50, "--n", 40, "--k", 64]
    for share in ("even", "random", "one"):
        for contract in ("offsets", "indices", "masked"):
            result = run("--groups", "1,5", *sizes, "--share", share, "--contract", contract, "--csv")
            rows = list(csv.DictReader(io.StringIO(result.stdout)))
            check(result.returncode == 0 and [row["groups"] for row in rows] == ["1", "5"], f"{share} {contract}: {result.stderr}")
            check(all(row["verdict"] == "correct" for row in rows), f"{share} {contract}: {rows}")
    result = run("--groups", 3, "--m", 96, "--n", 128, "--k", 64, "--backward", "--gradient", "x", "--scales", "mx", "--type-dy", "f8e5m2", "--json")
    record = json.loads(result.stdout)[0] if result.returncode == 0 else {}
    check((record.get("type_dy"), record.get("type_w"), record.get("verdict")) == ("f8e5m2", "f8e4m3", "correct"), f"e5m2: {result.stdout} {result.stderr}")
    result = run("--groups", 3, "--m", 256, "--n", 128, "--k", 512, "--kernel", "grouped_4wave_64x64", "--predict", "--json")
    record = json.loads(result.stdout)[0] if result.returncode == 0 else {}
    check(record.get("kernel") == "grouped_4wave_64x64" and record.get("verdict") == "correct", f"json: {result.stdout} {result.stderr}")
    for gradient, names in (("x", ["dx"]), ("w", ["dw"]), ("both", ["dx", "dw"])):
        result = run("--groups", 3, *sizes, "--backward", "--gradient", gradient, "--csv")
        row = next(csv.DictReader(io.StringIO(result.stdout)), {})
        errors = [float(row.get(f"error_of_bound_{name}") or "nan") for name in names]
        check(row.get("verdict") == "correct" and all(0 <= error <= 1 for error in errors), f"{gradient}: {result.stdout} {result.stderr}")


def test_mistakes():
    x, w = save("x.npy", np.ones((6, 8), np.float32)), save("w.npy", np.ones((2, 3, 8), np.float32))
    r = save("r.npy", np.array([0, 2, 6]))
    good = ["--x", x, "--w", w, "--rows", r, "--out", "y.npy"]
    sizes = ["--groups", 2, "--m", 6, "--n", 3, "--k", 8]
    refused("nothing", ["--x is missing"])
    refused("no weights", ["--w is missing"], "--x", x, "--rows", r, "--out", "y.npy")
    refused("no rows", ["--rows is missing"], "--x", x, "--w", w, "--out", "y.npy")
    refused("no output", ["--out is missing"], *good[:-2])
    refused("both sources", ["files and sizes"], *good, "--k", 8)
    refused("a missing size", ["--k is missing"], *sizes[:-2])
    refused("contract", ['--contract is "any"', "masked"], *sizes, "--contract", "any")
    refused("share", ['--share is "odd"', "random"], *sizes, "--share", "odd")
    refused("gradient", ['--gradient is "y"', "both"], *sizes, "--gradient", "y")
    refused("a gradient of no backward pass", ["--gradient is x, but there is no --backward", "leave --gradient out"], *sizes, "--gradient", "x")
    refused("a gradient of files", ["--gradient is w, but it is for random inputs", "--dx or --dw"], *good, "--gradient", "w")
    refused("activation", ['--activation is "elu"'], *sizes, "--activation", "elu")
    refused("type", ['--dtype is "i8"', "f8e4m3"], *sizes, "--dtype", "i8")
    refused("scales", ['--scales is "row"', "tiles, rows, power-of-two"], *sizes, "--scales", "row")
    refused("scales of BF16", ["--dtype is bf16", "f8e4m3"], *sizes, "--scales", "rows")
    refused("scales of two gradients", ["--scales tiles is given", "--gradient x or"], *sizes, "--scales", "tiles", "--dtype", "f8e4m3", "--backward")
    refused("a kernel of two gradients", ["--kernel is grouped_general_64x64", "one of them"], *sizes, "--backward", "--kernel", "grouped_general_64x64")
    scale = save("s.npy", np.ones((6, 1), np.float32))
    refused("scales without their kind", ["--x-scale is given without --scales"], *good, "--x-scale", scale)
    refused("scales of X alone", ["--w-scale is missing"], *good, "--dtype", "f8e4m3", "--scales", "rows", "--x-scale", scale)
    refused("MX formats of a number type", ["--type-x is given without --scales mx", "--dtype"], *sizes, "--type-x", "f4e2m1")
    refused("no MX format", ['--type-w is "bf16"', "f6e2m3"], *sizes, "--scales", "mx", "--type-w", "bf16")
    refused("part of a block", ["--k is 8", "multiple of 32"], *sizes, "--scales", "mx")
    bytes_of_x, bytes_of_w = save("xb.npy", np.ones((6, 24), np.uint8)), save("wb.npy", np.ones((2, 3, 24), np.uint8))
    of_w = save("sw.npy", np.full((2, 3, 1), 127, np.uint8))
    mx = ["--rows", r, "--out", "y.npy", "--scales", "mx", "--x-scale", save("sx.npy", np.full((6, 1), 127, np.uint8)), "--w-scale", of_w]
    refused("part of a block in a file", ["--x xb.npy has rows of 24 bytes", "blocks of 16 bytes"], "--x", bytes_of_x, "--w", bytes_of_w, *mx)
    refused("numbers for bytes", ["--x x.npy has elements of type float32", "uint8"], *good[:4], *mx)
    refused("part of a block of a gradient", ["--n is 3", "multiple of 32"], *sizes, "--scales", "mx", "--backward", "--gradient", "x")
    refused("part of a block of tokens", ["--m is 6", "multiple of 32"], *sizes, "--scales", "mx", "--backward", "--gradient", "w")
    refused("part of a block of masked tokens", ["--m is 6", "multiple of 128"], *sizes, "--scales", "rows", "--dtype", "f8e4m3", "--backward",
            "--gradient", "w", "--contract", "masked")
    blocks = ["--groups", 2, "--m", 8, "--n", 32, "--k", 32, "--scales", "mx"]
    refused("formats that are not multiplied", ["--type-w is f8e4m3", "with --type-x f4e2m1"], *blocks, "--type-x", "f4e2m1", "--type-w", "f8e4m3")
    refused("formats of a gradient that are not multiplied", ["--type-w is f6e2m3", "with --type-dy f4e2m1"], *blocks, "--backward",
            "--gradient", "x", "--type-dy", "f4e2m1", "--type-w", "f6e2m3")
    refused("a type of the other matrix", ["--type-x is given", "does not multiply"], *sizes, "--scales", "mx", "--backward", "--gradient", "x",
            "--type-x", "f8e4m3")
    dy, ones = save("dyb.npy", np.zeros((4, 32), np.uint8)), save("sb.npy", np.full((4, 2), 127, np.uint8))
    by_weight = ["--scales", "mx", "--dy", dy, "--dy-scale", ones, "--dw", "dw.npy"]
    refused("no operand of a gradient", ["--x is missing", "--dy, --x and --rows"], *by_weight, "--rows", r, "--x-scale", ones)
    refused("an operand too many", ["--w is given", "dY and X"], *by_weight, "--rows", r, "--x", dy, "--x-scale", ones, "--w", bytes_of_w)
    refused("scales too many", ["--w-scale is given", "no scales here"], *by_weight, "--rows", r, "--x", dy, "--x-scale", ones, "--w-scale", of_w)
    refused("no scales of a gradient", ["--x-scale is missing", "--dy-scale and --x-scale"], *by_weight, "--rows", r, "--x", dy)
    refused("a group within a block", ["element [1] is 40", "begin with a block"], *by_weight, "--x", dy, "--x-scale", ones, "--rows",
            save("ru.npy", np.array([0, 40, 64])))
    refused("tokens of no number of groups", ["rows of 64 elements", "3 groups"], *by_weight, "--x", dy, "--x-scale", ones, "--contract", "masked",
            "--rows", save("rk.npy", np.array([0, 0, 0])))
    refused("an index within a block", ["element [40] is 1", "begin with a block"], *by_weight, "--x", dy, "--x-scale", ones, "--contract", "indices",
            "--rows", save("rx.npy", np.repeat([0, 1], [40, 24])))
    refused("MX formats of MI300X", ["--device is sim:mi300x, which has no MX formats; pass sim:mi355x, or --scales tiles or rows"], *sizes[:-1], 32, "--scales", "mx", "--device", "sim:mi300x")
    refused("many groups", ["groups is 513; pass 1 to 512", "512"], "--groups", 513, "--m", 6, "--n", 3, "--k", 8)
    refused("columns", ["--w w7.npy is 2 x 3 x 7", "2 x 3 x 8"], "--x", x, "--rows", r, "--out", "y.npy", "--w",
            save("w7.npy", np.ones((2, 3, 7), np.float32)))
    refused("short offsets", ["--rows r2.npy is 2", "must be 3"], "--x", x, "--w", w, "--out", "y.npy", "--rows", save("r2.npy", np.array([0, 6])))
    refused("falling offsets", ["--rows rf.npy: element [2] is 1", "none less"], "--x", x, "--w", w, "--out", "y.npy", "--rows",
            save("rf.npy", np.array([0, 2, 1])))
    refused("a far offset", ["--rows rl.npy: element [2] is 7"], "--x", x, "--w", w, "--out", "y.npy", "--rows", save("rl.npy", np.array([0, 2, 7])))
    indices = ["--x", x, "--w", w, "--out", "y.npy", "--contract", "indices", "--rows"]
    refused("a group too many", ["element [5] is 2", "-1 for padding"], *indices, save("ri.npy", np.array([0, 0, 1, 1, -1, 2])))
    refused("rows apart", ["element [3] is 0", "together"], *indices, save("ra.npy", np.array([0, 1, 1, 0, -1, -1])))
    refused("masked", ["element [1] is 4", "a group has"], "--x", save("xm.npy", np.ones((2, 3, 8), np.float32)), "--w", w, "--out", "y.npy",
            "--contract", "masked", "--rows", save("rm.npy", np.array([3, 4])))
    refused("beyond FP8", ["--x holds 300", "f8e4m3", "--alpha"], "--x", save("l.npy", np.full((6, 8), 300, np.float32)), *good[2:],
            "--dtype", "f8e4m3")
    refused("a bias of a gradient", ["--bias is given", "dY"], *good[:-2], "--bias", save("b.npy", np.ones((2, 3), np.float32)), "--dy",
            save("dy.npy", np.ones((6, 3), np.float32)), "--dx", "dx.npy")
    refused("factors of two gradients", ["--row-scale is given", "one of them"], *good[:-2], "--row-scale",
            save("f.npy", np.ones(6, np.float32)), "--dy", save("dy.npy", np.ones((6, 3), np.float32)), "--dx", "dx.npy", "--dw", "dw.npy")
    refused("kernel", ["grouped_of_nothing"], *sizes, "--kernel", "grouped_of_nothing")
    refused("device", ["--device"], *sizes, "--device", "sim:mi1")


start("grouped")
print("seed", SEED)
test_results(np.random.default_rng(SEED))
test_gradients(np.random.default_rng(SEED + 1))
test_scales(np.random.default_rng(SEED + 2))
test_powers_of_two()
test_mx(np.random.default_rng(SEED + 3))
test_mx_of_bf16(np.random.default_rng(SEED + 4))
test_scaled_gradients(np.random.default_rng(SEED + 5))
test_factors_of_gradients(np.random.default_rng(SEED + 6))
test_random()
test_mistakes()
finish()
