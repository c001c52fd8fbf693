# SPDX-License-Identifier: MIT
"""Tests `wavetile rotary` on .npy files: results against NumPy, there and back, and every mistake a user can make: exit code, one
sentence that names it, no file left behind. Usage: rotary_cli.py WAVETILE WORK_FOLDER"""

import os

import numpy as np

from arrays import DEVICES, ROUNDOFF, load, save
from cli import WORK, check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "6"))


def turned(x, positions, turn, theta, interleaved):
    """x is [batch][rows][heads][dim]; positions small enough for float64 angles."""
    pairs = turn // 2
    angle = positions[:, None, None] * theta ** (-2.0 * np.arange(pairs) / turn)
    cosine, sine = np.cos(angle), np.sin(angle)
    y = x.astype(np.float64)
    first, second = (slice(0, turn, 2), slice(1, turn, 2)) if interleaved else (slice(0, pairs), slice(pairs, turn))
    a, b = x[..., first].astype(np.float64), x[..., second].astype(np.float64)
    y[..., first], y[..., second] = a * cosine - b * sine, a * sine + b * cosine
    return y


def compare(name, got, want, largest, dtype, turns=1):
    check(got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}")
    # Cosine and sine come to 2^-22, of two terms; then there are two roundings of f32 and that of the result.
    bound = turns * (2 * largest * (2.0**-22 + 2.0**-23) + ROUNDOFF[dtype] * 1.5 * largest)
    error = np.abs(got.astype(np.float64) - want).max()
    check(error <= bound, f"{name}: off by {error}, allowed {bound}")


def test_results(rng):
    for case in range(12):
        device, dtype = DEVICES[case % 2], ("f32", "bf16", "f16")[case % 3]
        rank, interleaved = 2 + case % 3, bool(case & 4)
        batch, rows, heads = (int(n) for n in rng.integers(1, 12, 3))
        dim = 2 * int(rng.integers(1, 70))
        turn = dim if case % 2 else 2 * int(rng.integers(1, dim // 2 + 1))
        shape = {2: (rows, dim), 3: (rows, heads, dim), 4: (batch, rows, heads, dim)}[rank]
        x = rng.integers(-128, 129, shape).astype(np.float32) / 64  # exact in every type
        arguments = ["--dtype", dtype, "--device", device, "--layout", "interleaved" if interleaved else "half",
                     "--rotary-dim", turn, "--theta", 500000]
        if case & 1:
            positions = rng.integers(-1000, 2**20, rows)
            arguments += ["--positions", save("p.npy", positions.astype(np.int32))]
        else:
            positions = int(rng.integers(0, 2**20)) + np.arange(rows)
            arguments += ["--offset", positions[0]]
        name = f"case {case}: {dtype} {shape} turning {turn} on {device}"
        result = run("--x", save("x.npy", x), "--out", "y.npy", *arguments, "--verify")
        check(result.returncode == 0, f"{name}: {result.stderr}")
        full = x.reshape((1,) * (4 - rank) + shape) if rank != 2 else x.reshape(1, rows, 1, dim)
        want = turned(full, positions, turn, 500000.0, interleaved).reshape(shape)
        largest = 3.0  # |x|, |y| <= 2, so a pair's length is below 3
        y = load("y.npy")
        compare(name, y, want, largest, dtype)
        result = run("--x", save("y.npy", y), "--out", "back.npy", "--inverse", *arguments)
        check(result.returncode == 0, f"{name} back: {result.stderr}")
        compare(name + " back", load("back.npy"), x.astype(np.float64), largest, dtype, turns=3)


def test_strides(rng):
    """Batch members, rows and heads lie apart from each other, and heads outside of rows: [batch][head][row][dim]."""
    for case, (dtype, device) in enumerate([("f32", DEVICES[0]), ("bf16", DEVICES[1])]):
        batch, rows, heads, dim = 2, 5, 3, 24
        x = rng.integers(-128, 129, (batch, rows, heads, dim)).astype(np.float32) / 64
        want = turned(x, np.arange(rows), dim, 10000.0, False)
        for name, strides in (
                ("gaps", ["--stride-x", 600, "--ldx", 100, "--head-stride-x", 30, "--stride-y", 471, "--ldy", 94, "--head-stride-y", 31]),
                ("heads outside of rows", ["--ldx", 24, "--head-stride-x", 120, "--ldy", 26, "--head-stride-y", 130, "--stride-y", 400]),
                ("batch members within rows", ["--ldx", 150, "--stride-x", 72, "--ldy", 160, "--stride-y", 80]),
                ("a long row", ["--ldx", 80])):
            result = run("--x", save("x.npy", x), "--out", "y.npy", "--dtype", dtype, "--device", device, *strides, "--verify")
            check(result.returncode == 0 and "correct" in result.stdout, f"{name}, case {case}: {result}")
            compare(f"{name}, case {case}", load("y.npy"), want, 3.0, dtype)


def test_mistakes():
    x = save("x.npy", np.ones((3, 2, 8), np.float32))
    good = ["--x", x, "--out", "y.npy"]
    refused("nothing", ["--x is missing"])
    refused("no output", ["--out is missing"], "--x", x)
    refused("layout", ['--layout is "gptj"', "interleaved"], *good, "--layout", "gptj")
    refused("theta", ["--theta is -1"], *good, "--theta", "-1")
    refused("offset", ["--offset is 0.5", "whole"], *good, "--offset", "0.5")
    refused("two kinds of positions", ["--offset and --positions"], *good, "--offset", "1", "--positions", "p.npy")
    refused("type", ['--dtype is "f8"'], *good, "--dtype", "f8")
    refused("file's type", ['--out-dtype is "bf16"'], *good, "--out-dtype", "bf16")
    refused("a vector", ["--x v.npy", "dimension"], "--x", save("v.npy", np.ones(4, np.float32)), "--out", "y.npy")
    refused("missing folder", ["--out", "nowhere"], "--x", x, "--out", "nowhere/y.npy")
    refused("short positions", ["--positions p.npy is 2,", "--x is 3 x 2 x 8"], *good, "--positions",
            save("p.npy", np.ones(2, np.int32)))
    refused("broken positions", ["h.npy", "'<f4'", "int32 or int64"], *good, "--positions",
            save("h.npy", np.array([1, 0.5, 2], np.float32)))
    refused("beyond float16", ["holds 70000"], "--x", save("big.npy", np.full((2, 2), 7e4, np.float32)), "--out", "y.npy",
            "--dtype", "f16")
    refused("odd", ["--rotary-dim is 7", "even"], *good, "--rotary-dim", "7")
    refused("short rows", ["--ldx is 15", "16 elements"], *good, "--ldx", "15")
    refused("rows that overlap", ["--ldx", "--head-stride-x", "overlap"], *good, "--ldx", "12", "--head-stride-x", "10")
    refused("heads that overlap", ["heads 7 (--head-stride-y)", "overlap"], *good, "--head-stride-y", "7")
    batches = save("b.npy", np.ones((2, 3, 2, 8), np.float32))
    refused("batch members that overlap", ["batch members 47 (--stride-x)", "overlap"], "--x", batches, "--out", "y.npy", "--stride-x", "47")
    refused("too many", ["--rotary-dim is 10"], *good, "--rotary-dim", "10")
    refused("device", ["--device"], *good, "--device", "sim:mi1")


start("rotary")
test_results(np.random.default_rng(SEED))
test_strides(np.random.default_rng(SEED))
test_mistakes()
finish()
