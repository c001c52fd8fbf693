# SPDX-License-Identifier: MIT
"""Tests `wavetile shuffle`, and what `gemm-mx` and `gemm-block` do with a product and with shuffled files, on .npy files: results against
NumPy, and mistakes. Usage: products_cli.py WAVETILE WORK_FOLDER"""

import os

import numpy as np

from arrays import ROUNDOFF, load, rounded, save
from cli import WORK, check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "9"))
ACTIVATIONS = {
    "none": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
}


def good(name, *arguments):
    result = run(*arguments, "--verify")
    check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")


def quantised(rng, side, rows, k, dtype="f4e2m1", size=1.0):
    """Writes a matrix in an MX format and returns the numbers that it stands for."""
    start("quantize-blocks", keep=True)
    good(side, "--x", save("x.npy", (size * rng.standard_normal((rows, k))).astype(np.float32)), "--out", f"{side}.npy", "--scale",
         f"{side}s.npy", "--type-q", dtype)
    start("dequantize-blocks", keep=True)
    good(f"{side} back", "--q", f"{side}.npy", "--scale", f"{side}s.npy", "--out", "x.npy", "--type-q", dtype)
    return load("x.npy").astype(np.float64)


def compare(name, got, want, size, dtype):
    """Sums of products of magnitude `size` are off by little of it in f32, and the result is rounded once."""
    error = np.abs(got.astype(np.float64) - want)
    bound = 2.0**-18 * size + 1.01 * ROUNDOFF[dtype] * np.abs(want) + 1e-30
    check(got.shape == want.shape and (error <= bound).all(), f"{name}: off by {error.max()}")


def epilogues(rng, m, n):
    """Yields options with their files, and what they make of alpha * product: each alone, then all together."""
    for case, (bias, beta, activation) in enumerate(((True, 0, "none"), (False, -1.5, "none"), (False, 0, "silu"), (True, 0.75, "gelu"),
                                                     (True, 2, "relu"))):
        dtype = ("f32", "bf16")[case % 2]
        v, c = rng.standard_normal(n).astype(np.float32), rounded(rng.standard_normal((m, n)), dtype)
        words = ["--dtype", dtype, "--activation", activation, "--alpha", 0.5]
        words += ["--bias", save("v.npy", v)] if bias else []
        words += ["--c", save("before.npy", c.astype(np.float32)), "--beta", beta, "--ldc", n + 3 * case] if beta else []
        added = v.astype(np.float64) * bias + beta * c
        yield words, dtype, lambda product, f=ACTIVATIONS[activation], added=added: f(0.5 * product + added), np.abs(added)


def test_gemm_mx_epilogue(rng):
    """Bias, C and activation follow the product, with K whole and split, and in a batch."""
    m, n, k = 21, 36, 1056
    a, b = quantised(rng, "a", m, k, size=0.2), quantised(rng, "b", n, k, size=0.2)
    files = ["--a", "a.npy", "--a-scale", "as.npy", "--b", "b.npy", "--b-scale", "bs.npy", "--out", "c.npy"]
    for words, dtype, finish_product, added in epilogues(rng, m, n):
        for split in (1, 2):
            start("gemm-mx", keep=True)
            good(f"gemm-mx {words} {split}", *files, *words, "--split-k", split)
            compare(f"gemm-mx {words} {split}", load("c.npy"), finish_product(a @ b.T), np.abs(a) @ np.abs(b).T + added, dtype)
    start("gemm-mx", keep=True)
    both = [word for side, name in (("a", "a"), ("a-scale", "as"), ("b", "b"), ("b-scale", "bs"))
            for word in (f"--{side}", save(f"{name}2.npy", np.concatenate(2 * [np.load(os.path.join(WORK, f"{name}.npy"))])))]
    before, v = rng.standard_normal((2 * m, n)).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    good("a batch", *both, "--batch", 2, "--out", "c.npy", "--c", save("before.npy", before), "--beta", 1, "--bias", save("v.npy", v))
    want = np.concatenate(2 * [a @ b.T]) + before + v
    compare("a batch", load("c.npy"), want, np.abs(want) + np.concatenate(2 * [np.abs(a) @ np.abs(b).T]), "f32")
    bytes_of_c = ["--type-c", "f8e4m3", "--out-q", "q.npy", "--out-scale", "qs.npy"]
    files = files[:-2]
    n32 = save("v32.npy", np.ones(32, np.float32))
    quantised(rng, "b", 32, k, size=0.2)
    start("gemm-mx", keep=True)
    good("an MX format", *files, *bytes_of_c, "--bias", n32, "--activation", "relu")
    refused("C in an MX format", ["--beta is 1", "MX format", "leave it out"], *files, *bytes_of_c, "--beta", 1, "--c", "before.npy")


def test_gemm_block_epilogue(rng):
    m, n, k = 19, 40, 200
    values = np.array([-2, -1, -0.5, 0, 0.5, 1, 2], np.float64)
    codes = np.array([0xC0, 0xB8, 0xB0, 0, 0x30, 0x38, 0x40], np.uint8)  # of E4M3 with bias 7
    picks = {"a": rng.integers(0, 7, (m, k)), "b": rng.integers(0, 7, (n, k))}
    scales = {"a": rng.random((m, 2)).astype(np.float32), "b": rng.random((1, 2)).astype(np.float32)}
    a = values[picks["a"]] * np.repeat(scales["a"].astype(np.float64), 128, axis=1)[:, :k]
    b = values[picks["b"]] * np.repeat(scales["b"].astype(np.float64), 128, axis=1)[:, :k]
    files = [word for side in "ab" for word in (f"--{side}", save(f"{side}.npy", codes[picks[side]]), f"--{side}-scale",
                                                save(f"{side}s.npy", scales[side]))]
    for words, dtype, finish_product, added in epilogues(rng, m, n):
        start("gemm-block", keep=True)
        good(f"gemm-block {words}", *files, "--out", "c.npy", *words)
        compare(f"gemm-block {words}", load("c.npy"), finish_product(a @ b.T), np.abs(a) @ np.abs(b).T + added, dtype)


def test_epilogue_mistakes():
    for command, sizes in (("gemm-mx", ["--m", 4, "--n", 8, "--k", 64]), ("gemm-block", ["--m", 4, "--n", 8, "--k", 64])):
        start(command, keep=True)
        for words in (["--beta", 0.5], ["--beta", -1, "--activation", "gelu", "--dtype", "bf16"]):
            result = run(*sizes, *words)
            check(result.returncode == 0 and "correct" in result.stdout, f"random {command} {words}: {result.stdout} {result.stderr}")
        refused("activation", ['--activation is "tanh"', "gelu"], *sizes, "--activation", "tanh")
        codes = save("codes.npy", np.zeros((4, 32), np.uint8))
        kind = np.uint8 if command == "gemm-mx" else np.float32
        scale = save("scale.npy", np.ones((4, 2) if command == "gemm-mx" else (4, 1), kind))
        tile = save("tile.npy", np.ones((1, 1), kind)) if command == "gemm-block" else scale
        files = ["--a", codes, "--a-scale", scale, "--b", codes, "--b-scale", tile, "--out", "c.npy"]
        refused("no C", ["--beta is 1, which needs the C", "--c"], *files, "--beta", 1)
        refused("C for nothing", ["--c is codes.npy, but --beta is 0"], *files, "--c", codes)
        refused("another C", ["--c codes.npy is 4 x 32", "must be 4 x 4"], *files, "--c", codes, "--beta", 1)
        refused("another bias", ["--bias v.npy is 3", "must be 4"], *files, "--bias", save("v.npy", np.ones(3, np.float32)))


def shuffled_scales(scales):
    rows, blocks = (-(-size // unit) * unit for size, unit in zip(scales.shape, (32, 8)))
    padded = np.full((rows, blocks), 127, np.uint8)
    padded[:scales.shape[0], :scales.shape[1]] = scales
    return padded.reshape(rows // 32, 2, 16, blocks // 8, 2, 4).transpose(0, 3, 5, 2, 4, 1).reshape(rows // 32, -1)


def shuffled_weights(weights):
    rows, size = weights.shape
    return weights.reshape(rows // 16, 16, size // 16, 16).transpose(0, 2, 1, 3).reshape(rows, size)


def test_shuffle(rng):
    """The layouts are those that NumPy makes of the definition, and what comes back is what went."""
    start("shuffle", keep=True)
    for rows, blocks in ((1, 1), (32, 8), (70, 33), (33, 15)):
        scales = rng.integers(0, 256, (rows, blocks), np.uint8)
        good(f"scales {rows} x {blocks}", "--of", "scales", "--x", save("x.npy", scales), "--out", "y.npy")
        want = shuffled_scales(scales)
        check((np.load(os.path.join(WORK, "y.npy")) == want).all(), f"scales {rows} x {blocks}: other bytes")
        good("whole groups", "--of", "scales", "--back", "--x", "y.npy", "--out", "whole.npy")
        check((load("whole.npy")[:rows, :blocks] == scales).all(), f"scales {rows} x {blocks}: other whole groups come back")
        good("back", "--of", "scales", "--back", "--x", "y.npy", "--out", "z.npy", "--keep-rows", rows, "--keep-columns", blocks)
        back = load("z.npy")
        check(back.shape == scales.shape and (back == scales).all(), f"scales {rows} x {blocks}: others come back")
    for rows, size in ((16, 16), (48, 272)):
        weights = rng.integers(0, 256, (rows, size), np.uint8)
        good(f"weights {rows} x {size}", "--of", "weights", "--x", save("x.npy", weights), "--out", "y.npy")
        check((np.load(os.path.join(WORK, "y.npy")) == shuffled_weights(weights)).all(), f"weights {rows} x {size}: other bytes")
        good("back", "--of", "weights", "--back", "--x", "y.npy", "--out", "z.npy")
        check((load("z.npy") == weights).all(), f"weights {rows} x {size}: others come back")
    for words in (["--of", "weights"], ["--of", "scales"], ["--of", "weights", "--back"]):
        result = run(*words, "--rows", 32, "--columns", 256, "--predict", "--json")
        check(result.returncode == 0 and '"correct"' in result.stdout, f"random {words}: {result.stdout} {result.stderr}")
    x = save("x.npy", np.ones((40, 24), np.uint8))
    refused("no kind", ["--of is missing", "weights or scales"], "--x", x, "--out", "y2.npy")
    refused("another kind", ['--of is "bias"', "weights or scales"], "--of", "bias", "--x", x, "--out", "y2.npy")
    refused("weights of other sizes", ["40 rows of 24 bytes", "multiples of 16 of both"], "--of", "weights", "--x", x, "--out", "y2.npy")
    refused("scales that are not shuffled", ["rows of 24 bytes", "256"], "--of", "scales", "--back", "--x", x, "--out", "y2.npy")
    refused("rows for weights", ["--keep-rows is 3", "--of scales --back"], "--of", "weights", "--x", x, "--out", "y2.npy", "--keep-rows", 3)
    refused("more rows than groups", ["--keep-rows is 33", "pass 1 to 32"], "--of", "scales", "--back", "--x",
            save("x.npy", np.ones((1, 512), np.uint8)), "--out", "y2.npy", "--keep-rows", 33)
    refused("fewer columns than groups", ["--keep-columns is 8", "pass 9 to 16"], "--of", "scales", "--back", "--x", x, "--out", "y2.npy",
            "--keep-columns", 8)
    refused("elements that are no bytes", ["x.npy has elements of type float32", "uint8"], "--of", "scales", "--x",
            save("x.npy", np.ones((4, 4), np.float32)), "--out", "y2.npy")
    refused("part of a block of weights", ["--rows is 5 and --columns is 8; pass multiples of 16"], "--of", "weights", "--rows", 5, "--columns", 8)
    refused("MI300X", ["--device is sim:mi300x, which has no MX formats"], "--of", "scales", "--rows", 4, "--columns", 4, "--device", "sim:mi300x")


def test_gemm_mx_of_shuffled_files(rng):
    """Shuffled files give the bits that the command gives when it shuffles them, alone, together and in a batch."""
    m, n, k, batch = 40, 48, 512, 2
    a, b = quantised(rng, "a", batch * m, k), quantised(rng, "b", batch * n, k)
    for name, rows in (("as", m), ("bs", n)):
        scales = np.load(os.path.join(WORK, f"{name}.npy")).reshape(batch, rows, -1)
        save(f"{name}_shuffled.npy", np.concatenate([shuffled_scales(one) for one in scales]))
    start("shuffle", keep=True)
    good("weights", "--of", "weights", "--x", "b.npy", "--out", "b_shuffled.npy")
    for stored in (["as"], ["b"], ["bs"], ["as", "b", "bs"]):
        file = {name: f"{name}_shuffled.npy" if name in stored else f"{name}.npy" for name in ("as", "b", "bs")}
        words = ["--a", "a.npy", "--a-scale", file["as"], "--b", file["b"], "--b-scale", file["bs"], "--batch", batch, "--out", "c.npy"]
        words += [{"as": "--a-scale-shuffled", "b": "--b-shuffled", "bs": "--b-scale-shuffled"}[name] for name in stored]
        start("gemm-mx", keep=True)
        good(f"{stored}", *words)
        want = a.reshape(batch, m, k) @ b.reshape(batch, n, k).transpose(0, 2, 1)
        size = np.abs(a).reshape(batch, m, k) @ np.abs(b).reshape(batch, n, k).transpose(0, 2, 1)
        compare(f"{stored}", load("c.npy").reshape(batch, m, n), want, size, "f32")
    files = ["--a", "a.npy", "--a-scale", "as.npy", "--b", "b.npy", "--b-scale", "bs.npy", "--out", "c.npy"]
    refused("random inputs", ["--b-shuffled is given, but there is no --b"], "--m", 4, "--n", 16, "--k", 64, "--b-shuffled")
    refused("scales by rows", ["--scale-layout is rows", "--b-scale-shuffled"], *files, "--scale-layout", "rows", "--b-scale-shuffled")
    refused("B by rows", ["--b-layout is rows", "--b-shuffled"], *files, "--b-layout", "rows", "--b-shuffled")
    refused("rows apart", ["--ldb is 512, but a shuffled file is packed"], *files, "--ldb", 512, "--b-shuffled")
    refused("scales that are not shuffled", ["--b-scale bs.npy is 96 x 16", "must be 3 x 512"], *files, "--b-scale-shuffled")
    start("shuffle", keep=True)
    result = run("--help")
    check(result.returncode == 0 and "--dtype" not in result.stdout and "--keep-rows" in result.stdout, f"shuffle --help: {result.stdout}")


start()
print("seed", SEED)
generator = np.random.default_rng(SEED)
test_gemm_mx_epilogue(generator)
test_gemm_block_epilogue(generator)
test_epilogue_mistakes()
test_shuffle(generator)
test_gemm_mx_of_shuffled_files(generator)
finish()
