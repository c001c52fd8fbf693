# SPDX-License-Identifier: MIT
"""Tests `wavetile norm` on .npy files: results against NumPy, with the dropout's mask computed apart, and every mistake a user can
make: exit code, one sentence that names it, no file left behind. Usage: norm_cli.py WAVETILE WORK_FOLDER"""

import os

import numpy as np

from arrays import DEVICES, ROUNDOFF, load, philox_words, rounded, save
from cli import WORK, check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "5"))
# This bounds sums of up to 300 float32: a thread adds up to 5 numbers, lanes and waves 10 more, and what is made of them takes as many
# roundings again, of numbers that together may be 5 times the largest result.
SINGLE = 5 * 30 * 2.0**-24


def probability(dropout):
    """Returns a multiple of 2^-16 below 1."""
    return min(round(float(np.float32(dropout)) * 65536), 65535) / 65536


def kept(rows, columns, dropout, seed):
    """The 16-bit halves of Philox4x32-10 (Salmon et al. 2011) of the counters (column / 8, row, 0, 0) under the seed."""
    words = philox_words(rows, (columns + 1) // 2, seed)
    return words.view("<u2")[:, :columns] >= probability(dropout) * 65536


class Norm:
    """The forward and the backward pass in float64."""

    def __init__(self, rms, x, residual, weight, bias, epsilon, dropout, seed):
        self.rms, self.weight = rms, weight
        scale = 1 / (1 - probability(dropout))
        self.factor = np.where(kept(*x.shape, dropout, seed), scale, 0)
        self.sum = x * self.factor + residual
        mean = 0 if rms else self.sum.mean(axis=1, keepdims=True)
        self.rstd = 1 / np.sqrt(((self.sum - mean) ** 2).mean(axis=1, keepdims=True) + epsilon)
        self.normal = (self.sum - mean) * self.rstd
        self.y = self.normal * weight + bias

    def gradients(self, dy, dsum):
        g = dy * self.weight
        inner = g - self.normal * (g * self.normal).mean(axis=1, keepdims=True)
        if not self.rms:
            inner = inner - g.mean(axis=1, keepdims=True)
        dresidual = inner * self.rstd + dsum
        return dresidual * self.factor, dresidual, (dy * self.normal).sum(axis=0), dy.sum(axis=0)


def compare(name, got, want, dtype, allowance):
    """The result is rounded once; before, it is off by `allowance` of the largest."""
    check(got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}")
    error = np.abs(got.astype(np.float64) - want)
    within = error <= ROUNDOFF[dtype] * np.abs(want) * 1.01 + allowance * np.abs(want).max()
    check(within.all(), f"{name}: {np.count_nonzero(~within)} elements out of bound, worst error {error.max()}")


def test_results(rng):
    for case in range(16):
        device, dtype = DEVICES[case % 2], ("f32", "bf16", "f16")[case % 3]
        rows, columns = int(rng.integers(1, 40)), int(rng.integers(2, 300))
        rms, dropout, seed = bool(case & 4), (0.0, 0.3)[case >> 3 & 1], int(rng.integers(0, 2**63))
        x = rounded(rng.standard_normal((rows, columns)), dtype)
        residual, dy, dsum = (rounded(rng.standard_normal(x.shape), dtype) for _ in range(3))
        weight, bias = (rounded(rng.standard_normal(columns), "f32") for _ in range(2))
        reference = Norm(rms, x, residual, weight, bias, 1e-3, dropout, seed)
        arguments = ["--x", save("x.npy", x.astype(np.float32)), "--residual", save("r.npy", residual.astype(np.float32)),
                     "--weight", save("w.npy", weight.astype(np.float32)), "--bias", save("b.npy", bias.astype(np.float32)),
                     "--dtype", dtype, "--epsilon", "1e-3", "--device", device]
        arguments += ["--rms"] if rms else ["--layer"]
        arguments += ["--dropout", dropout, "--seed", seed] if dropout else []
        name = f"case {case}: {dtype} {rows} x {columns} on {device}"
        result = run(*arguments, "--out", "y.npy", "--sum", "s.npy", "--verify")
        check(result.returncode == 0, f"{name}: {result.stderr}")
        compare(name + " y", load("y.npy"), reference.y, dtype, SINGLE)
        compare(name + " sum", load("s.npy"), reference.sum, dtype, SINGLE)
        result = run(*arguments, "--dy", save("dy.npy", dy.astype(np.float32)), "--dsum",
                     save("ds.npy", dsum.astype(np.float32)), "--dx", "dx.npy", "--dresidual", "dr.npy", "--dweight",
                     "dw.npy", "--dbias", "db.npy", "--verify")
        check(result.returncode == 0, f"{name}: {result.stderr}")
        # The device goes on from the sum as it is stored, and rounded; |sum| * rstd is below 4, and enters twice.
        loss = SINGLE + 8 * ROUNDOFF[dtype]
        dx, dresidual, dweight, dbias = reference.gradients(dy, dsum)
        compare(name + " dx", load("dx.npy"), dx, dtype, loss)
        compare(name + " dresidual", load("dr.npy"), dresidual, dtype, loss)
        compare(name + " dweight", load("dw.npy"), dweight, "f32", loss)
        compare(name + " dbias", load("db.npy"), dbias, "f32", SINGLE)


def test_float16_files():
    x = np.arange(12, dtype=np.float16).reshape(3, 4)
    result = run("--x", save("half.npy", x), "--out", "y.npy", "--out-dtype", "f16", "--dtype", "f16")
    check(result.returncode == 0, result.stderr)
    y = load("y.npy")
    check(y.dtype == np.float16 and np.abs(y.astype(float).mean(axis=1)).max() < 1e-3, f"{y}")


def test_mistakes():
    x = save("x.npy", np.ones((3, 4), np.float32))
    good = ["--x", x, "--out", "y.npy"]
    refused("nothing", ["--x is missing"])
    refused("no output", ["--out is missing"], "--x", x)
    refused("both kinds", ["--layer and --rms"], *good, "--layer", "--rms")
    refused("a gradient without a backward pass", ["--dweight is dw.npy", "no --dy"], *good, "--dweight", "dw.npy")
    refused("one file for two outputs", ["--out and --sum are both y.npy"], *good, "--sum", "y.npy")
    refused("dropout", ["--dropout is 1;", "below 1"], *good, "--dropout", "1")
    refused("epsilon", ["--epsilon is -1"], *good, "--epsilon", "-1")
    refused("type", ['--dtype is "f8"', "bf16"], *good, "--dtype", "f8")
    refused("weight's type", ['--type-weight is "f16"', "bf16"], *good, "--dtype", "bf16", "--type-weight", "f16")
    refused("file's type", ['--out-dtype is "bf16"'], *good, "--out-dtype", "bf16")
    refused("missing file", ["--x nothing.npy"], "--x", "nothing.npy", "--out", "y.npy")
    refused("missing folder", ["--out", "nowhere"], "--x", x, "--out", "nowhere/y.npy")
    refused("a vector", ["--x v.npy", "dimension"], "--x", save("v.npy", np.ones(4, np.float32)), "--out", "y.npy")
    refused("short weight", ["--weight w.npy is 3,", "each column"], *good, "--weight", save("w.npy", np.ones(3, np.float32)))
    refused("residual's shape", ["--residual r.npy is 4 x 3", "--x is 3 x 4"], *good, "--residual",
            save("r.npy", np.ones((4, 3), np.float32)))
    refused("beyond float16", ["--x big.npy holds 70000", "bf16"], "--x", save("big.npy", np.full((2, 2), 7e4, np.float32)),
            "--out", "y.npy", "--dtype", "f16")
    refused("result beyond float16", ["beyond float16", "--out-dtype f32"], "--x", save("s.npy", np.eye(4, dtype=np.float32)),
            "--weight", save("w.npy", np.full(4, 1e6, np.float32)), "--out", "y.npy", "--out-dtype", "f16", code=1)
    refused("device", ["--device"], *good, "--device", "sim:mi1")


start("norm")
test_results(np.random.default_rng(SEED))
test_float16_files()
test_mistakes()
finish()
