# SPDX-License-Identifier: MIT
"""Tests `wavetile experts` on .npy files: ids, weights and results against NumPy, what it says of random inputs, and every mistake a user
can make: exit code, one sentence that names it, no file left behind. Usage: experts_cli.py WAVETILE WORK_FOLDER"""

import csv
import io
import os

import numpy as np

from arrays import DEVICES, fp8_codes, fp8_values, load, rounded, save
from cli import check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "9"))


def routed(logits, bias, top_k, scoring, groups, top_k_groups):
    """Returns ids and scores of the experts of each token, by the definition."""
    logits = logits.astype(np.float64)
    if scoring == "softmax":
        score = np.exp(logits - logits.max(1, keepdims=True))
        score /= score.sum(1, keepdims=True)
    else:
        score = 1 / (1 + np.exp(-logits))
    value = score + bias
    tokens, experts = logits.shape
    if top_k_groups < groups:
        members = np.sort(value.reshape(tokens, groups, -1), 2)
        of_group = members[:, :, -1] if scoring == "softmax" else members[:, :, -2:].sum(2)
        lost = np.argsort(-of_group, 1, kind="stable")[:, top_k_groups:]
        for token in range(tokens):
            for group in lost[token]:
                value[token, group * (experts // groups):(group + 1) * (experts // groups)] = -np.inf
    ids = np.argsort(-value, 1, kind="stable")[:, :top_k]
    return ids, np.take_along_axis(score, ids, 1)


def network(x, gate_up, down, dtype):
    """max(gate, 0) * up, times the down matrix, with the roundings of the device."""
    both = rounded(x @ gate_up.T, dtype)
    inner = gate_up.shape[0] // 2
    gated = rounded(np.maximum(both[:, :inner], 0) * both[:, inner:], dtype)
    return rounded(gated @ down.T, dtype)


def numbers(rng, *shape):
    return rng.integers(-1, 2, shape).astype(np.float64)


def test_results(rng):
    for case in range(6):
        device, dtype, scoring = DEVICES[case % 2], ("bf16", "f16")[case % 2], ("softmax", "sigmoid")[case // 2 % 2]
        tokens, top_k, hidden, inner = (int(rng.integers(low, high)) for low, high in ((1, 40), (1, 5), (8, 60), (1, 40)))
        experts, groups, kept = ((5, 1, 1), (16, 4, 2), (24, 8, 3))[case // 2]
        shared = int(rng.integers(1, 20)) if case % 3 == 0 else 0
        x, gate_up, down = numbers(rng, tokens, hidden), numbers(rng, experts, 2 * inner, hidden), numbers(rng, experts, hidden, inner)
        logits, bias = rng.standard_normal((tokens, experts)).astype(np.float32), rng.standard_normal(experts).astype(np.float32) / 4
        name = f"case {case}: {dtype} {scoring} tokens {tokens} slots {top_k} hidden {hidden} inner {inner} shared {shared} on {device}"
        extra = ["--renormalise"] if case % 2 else ["--scale", "2.5"]
        if shared:
            s_gate_up, s_down = numbers(rng, 2 * shared, hidden), numbers(rng, hidden, shared)
            extra += ["--shared-gate-up", save("sg.npy", s_gate_up), "--shared-down", save("sd.npy", s_down)]
        result = run("--x", save("x.npy", x), "--w-gate-up", save("g.npy", gate_up), "--w-down", save("d.npy", down), "--logits",
                     save("l.npy", logits), "--bias", save("b.npy", bias), "--top-k", top_k, "--scoring", scoring, "--groups", groups,
                     "--top-k-groups", kept, "--activation", "relu", "--dtype", dtype, "--device", device, "--ids", "i.npy", "--weights",
                     "v.npy", "--out", "y.npy", "--verify", *extra)
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        ids, scores = routed(logits, bias.astype(np.float64), top_k, scoring, groups, kept)
        want = scores / scores.sum(1, keepdims=True) if case % 2 else scores * 2.5
        got_ids, weights, y = load("i.npy"), load("v.npy"), load("y.npy")
        check(got_ids.shape == ids.shape and (got_ids == ids).all(), f"{name}: ids differ")
        check(np.allclose(weights, want, rtol=2e-6, atol=0), f"{name}: weights differ")
        total = network(x, s_gate_up, s_down, dtype).astype(np.float32) if shared else np.zeros((tokens, hidden), np.float32)
        for slot in range(top_k):
            for token in range(tokens):
                e = ids[token, slot]
                row = network(x[token:token + 1], gate_up[e], down[e], dtype)[0]
                # This is a fused multiply-add: the product is exact in float64, and the sum is rounded to
                # float32.
                total[token] = (total[token] + np.float64(np.float32(weights[token, slot])) * row).astype(np.float32)
        # float64 rounds once before float32 does.
        error = np.abs(y - rounded(total, dtype))
        check((error <= 2.0**-7 * np.abs(total)).all() and (error == 0).mean() > 0.99, f"{name}: results differ by {error.max()}")


E2M1_OF = {-1: 10, 0: 0, 1: 2}  # codes of E2M1


def packed(values):
    """Returns E2M1 elements, two to a byte, the first in the low bits."""
    codes = np.vectorize(E2M1_OF.get)(values)
    return (codes[..., ::2] | codes[..., 1::2] << 4).astype(np.uint8)


def sparse(rng, *shape):
    """Makes rows with two elements of magnitude 1: what such networks make of such tokens is a number of E2M1."""
    values = np.zeros(shape, int)
    for index in np.ndindex(*shape[:-1]):
        values[index][rng.choice(shape[-1], 2, replace=False)] = rng.choice([-1, 1], 2)
    return values


def test_mx(rng):
    """All weights of an expert have one scale, so that nothing is lost where activations are quantised."""
    for case in range(4):
        tokens, experts, top_k, hidden, inner = int(rng.integers(1, 40)), 5, 2, 64 * int(rng.integers(1, 4)), 32 * int(rng.integers(1, 6))
        x, gate_up, down = rng.integers(-1, 2, (tokens, hidden)), sparse(rng, experts, 2 * inner, hidden), sparse(rng, experts, hidden, inner)
        of_gate_up, of_down = rng.integers(126, 129, experts), rng.integers(126, 129, experts)
        logits = rng.standard_normal((tokens, experts)).astype(np.float32)
        name = f"mx {case}: tokens {tokens} hidden {hidden} inner {inner}"
        result = run("--x", save("x.npy", x.astype(np.float32)), "--w-gate-up", save("g.npy", packed(gate_up)), "--w-down",
                     save("d.npy", packed(down)), "--gate-up-scale",
                     save("gs.npy", np.broadcast_to(of_gate_up[:, None, None], (experts, 2 * inner, hidden // 32)).astype(np.uint8)),
                     "--down-scale", save("ds.npy", np.broadcast_to(of_down[:, None, None], (experts, hidden, inner // 32)).astype(np.uint8)),
                     "--logits", save("l.npy", logits), "--top-k", top_k, "--activation", "relu", "--scales", "mx", "--type-q",
                     ("f4e2m1", "f8e4m3", "f6e2m3", "bf16")[case], "--dtype", "bf16", "--device", "sim:mi355x", "--ids", "i.npy", "--weights", "v.npy", "--out", "y.npy",
                     "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        ids, weights, y = load("i.npy").astype(int), load("v.npy"), load("y.npy")
        total = np.zeros((tokens, hidden))
        for token in range(tokens):
            for slot in range(top_k):
                e = ids[token, slot]
                both = gate_up[e] @ x[token] * 2.0 ** (of_gate_up[e] - 127)
                gated = np.maximum(both[:inner], 0) * both[inner:]
                total[token] += float(weights[token, slot]) * (down[e] @ gated * 2.0 ** (of_down[e] - 127))
        error = np.abs(y - total)
        check((error <= 2.0**-8 * np.abs(total) + 1e-6 * np.abs(total).max()).all(), f"{name}: results differ by {error.max()}")
    for extra in (["--scales", "tiles"], ["--scales", "rows", "--shared-inner", 32, "--device", "sim:mi300x"],
                  ["--scales", "power-of-two", "--shared-inner", 64], ["--scales", "power-of-two-rows", "--device", "sim:mi300x"],
                  ["--scales", "mx", "--type-w", "f8e4m3", "--shared-inner", 64, "--dtype", "f16"]):
        result = run("--tokens", 12, "--experts", 6, "--hidden", 192, "--inner", 96, "--csv", *extra)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        check(result.returncode == 0 and [row["verdict"] for row in rows] == ["correct"], f"{extra}: {rows} {result.stderr}")


def quantised(values, of_fp8, powers):
    """Returns what blocks of 128 become as FP8 with the scale that takes their largest to the largest number, or with the power of two above it."""
    out = np.zeros(values.shape)
    for first in range(0, values.shape[-1], 128):
        block = values[..., first:first + 128].astype(np.float32)
        largest = np.abs(block).max(axis=-1, keepdims=True)
        scale = np.where(largest > 0, largest / np.float32(of_fp8[-1]), np.float32(1)).astype(np.float32)
        if powers:
            scale = np.exp2(np.ceil(np.log2(scale))).astype(np.float32)
        scaled = block * (np.float32(1) / scale)
        out[..., first:first + 128] = np.copysign(of_fp8[fp8_codes(scaled, of_fp8)], scaled) * scale
    return out


def test_fp8(rng):
    """Gates are whole numbers that BF16 has, so that what is quantised before the down product is known to the bit."""
    for kind, device in zip(("tiles", "rows", "power-of-two", "power-of-two-rows"), 2 * DEVICES):
        by_rows, powers = kind.endswith("rows"), kind.startswith("power")
        tokens, experts, top_k, hidden, inner = int(rng.integers(2, 20)), 4, 2, 192, 160
        of_fp8 = fp8_values("f8e4m3", device)
        x, gate_up, down = rng.integers(-1, 2, (tokens, hidden)), sparse(rng, experts, 2 * inner, hidden), sparse(rng, experts, hidden, inner)
        heights = [rows if by_rows else (rows + 127) // 128 for rows in (2 * inner, hidden)]
        of_gate_up, of_down = (2.0 ** rng.integers(-1, 2, (experts, height, 2)) for height in heights)
        logits = rng.standard_normal((tokens, experts)).astype(np.float32)
        bytes_of = [(fp8_codes(w, of_fp8) + np.where(w < 0, 128, 0)).astype(np.uint8) for w in (gate_up, down)]
        name = f"fp8 {kind} on {device}: tokens {tokens}"
        result = run("--x", save("x.npy", x.astype(np.float32)), "--w-gate-up", save("g.npy", bytes_of[0]), "--w-down", save("d.npy", bytes_of[1]),
                     "--gate-up-scale", save("gs.npy", of_gate_up.astype(np.float32)), "--down-scale", save("ds.npy", of_down.astype(np.float32)),
                     "--logits", save("l.npy", logits), "--top-k", top_k, "--activation", "relu", "--scales", kind, "--dtype", "bf16", "--device",
                     device, "--ids", "i.npy", "--weights", "v.npy", "--out", "y.npy", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        ids, weights, y = load("i.npy").astype(int), load("v.npy"), load("y.npy")
        each = [np.repeat(np.repeat(scale, 1 if by_rows else 128, axis=1)[:, :w.shape[1]], 128, axis=2)[:, :, :w.shape[2]] * w
                for scale, w in ((of_gate_up, gate_up), (of_down, down))]
        total, size = np.zeros((tokens, hidden)), np.zeros((tokens, hidden))
        for token in range(tokens):
            for slot in range(top_k):
                e = ids[token, slot]
                both = each[0][e] @ x[token]
                gated = quantised(np.maximum(both[:inner], 0) * both[inner:], of_fp8, powers)
                total[token] += float(weights[token, slot]) * (each[1][e] @ gated)
                size[token] += float(weights[token, slot]) * (np.abs(each[1][e]) @ np.abs(gated))
        error = np.abs(y - total)
        check((error <= 2.0**-7 * size).all() and total.any(), f"{name}: results differ by {error.max()}")


def test_random():
    for extra in ([], ["--top-k", 1, "--activation", "none"], ["--scoring", "sigmoid", "--groups", 2, "--top-k-groups", 1, "--shared-inner", 12],
                  ["--renormalise", "--activation", "gelu", "--dtype", "f16"]):
        result = run("--tokens", "1,9", "--experts", 8, "--hidden", 40, "--inner", 24, "--csv", *extra)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        check(result.returncode == 0 and [row["rows"] for row in rows] == ["1", "9"], f"{extra}: {result.stderr}")
        check(all(row["verdict"] == "correct" for row in rows), f"{extra}: {rows}")


def test_mistakes():
    def ones(name, *shape):
        return save(name, np.ones(shape, np.float32))

    x, g, d, logits = ones("x.npy", 6, 8), ones("g.npy", 4, 6, 8), ones("d.npy", 4, 8, 3), ones("l.npy", 6, 4)
    good = ["--x", x, "--w-gate-up", g, "--w-down", d, "--logits", logits, "--out", "y.npy"]
    sizes = ["--tokens", 6, "--experts", 4, "--hidden", 8, "--inner", 3]
    refused("nothing", ["--x is missing"])
    refused("no gates", ["--w-gate-up is missing"], "--x", x, "--w-down", d, "--logits", logits, "--out", "y.npy")
    refused("no logits", ["--logits is missing"], *good[:6], "--out", "y.npy")
    refused("no output", ["--out is missing"], *good[:-2], "--top-k", 1)
    refused("both sources", ["files and sizes"], *good, "--tokens", 6)
    refused("a missing size", ["--inner is missing"], *sizes[:-2])
    refused("scoring", ['--scoring is "max"', "sigmoid"], *sizes, "--scoring", "max")
    refused("activation", ['--activation is "elu"', "silu"], *sizes, "--activation", "elu")
    refused("type", ['--dtype is "f32"', "bf16 or f16"], *sizes, "--dtype", "f32")
    refused("many experts", ["--experts is 513", "512"], *sizes[:2], "--experts", 513, *sizes[4:])
    refused("many slots", ["--top-k is 5", "among 4 experts"], *sizes, "--top-k", 5)
    refused("slots", ["--top-k is 65", "64"], *sizes, "--top-k", 65)
    refused("groups", ["--groups is 3", "which is 4"], *sizes, "--groups", 3)
    refused("groups of choice", ["--top-k-groups is 3", "which is 2"], *sizes, "--groups", 2, "--top-k-groups", 3)
    refused("scale", ["--scale is inf"], *sizes, "--scale", "1e50")
    refused("half a shared network", ["--shared-down is missing", "neither"], *good, "--shared-gate-up", ones("s.npy", 4, 8))
    refused("a size of files", ["--shared-inner is for random inputs"], *good, "--shared-inner", 4)
    refused("columns", ["--w-down e.npy is 4 x 8 x 2", "4 x 8 x 3"], *good[:4], "--w-down", ones("e.npy", 4, 8, 2), *good[6:])
    refused("odd gates", ["--w-gate-up o.npy is 4 x 5 x 8", "4 x 4 x 8"], "--x", x, "--w-gate-up", ones("o.npy", 4, 5, 8), *good[4:])
    refused("logits of others", ["--logits m.npy is 6 x 3", "6 x 4"], *good[:6], "--logits", ones("m.npy", 6, 3), *good[8:])
    packed = ["--x", ones("xs.npy", 6, 32), "--w-gate-up", save("gb.npy", np.ones((4, 64, 32), np.uint8)), "--w-down",
              save("db.npy", np.ones((4, 32, 32), np.uint8)), *good[6:], "--scales", "power-of-two"]
    refused("no powers of two", ["--gate-up-scale gs.npy", "is 3, no power of two", "--scales tiles"], *packed, "--gate-up-scale",
            save("gs.npy", np.full((4, 1, 1), 3, np.float32)), "--down-scale", ones("ds.npy", 4, 1, 1))
    refused("scales", ['--scales is "any"', "tiles, rows, power-of-two, power-of-two-rows or mx"], *sizes, "--scales", "any")
    refused("a type without MX", ["--type-w is given without --scales mx"], *sizes, "--type-w", "f4e2m1")
    refused("no MX format", ['--type-q is "f32"', "f6e2m3"], *sizes, "--scales", "mx", "--type-q", "f32")
    refused("activations of another type", ["--type-q is bf16", "--dtype bf16"], *sizes, "--scales", "mx", "--type-q", "bf16", "--dtype", "f16")
    refused("scales without their kind", ["--gate-up-scale is given without --scales"], *good, "--gate-up-scale", ones("gs.npy", 4, 1, 1))
    refused("no scales", ["--gate-up-scale is missing", "--w-gate-up"], *good, "--scales", "tiles")
    refused("part of a block", ["--hidden is 8", "multiple of 64"], *sizes, "--scales", "mx")
    refused("device", ["--device"], *sizes, "--device", "sim:mi1")


start("experts")
print("seed", SEED)
test_results(np.random.default_rng(SEED))
test_mx(np.random.default_rng(SEED + 1))
test_fp8(np.random.default_rng(SEED + 2))
test_random()
test_mistakes()
finish()
