# SPDX-License-Identifier: MIT
"""Tests `wavetile softmax`, `cross-entropy`, `quantize`, `dequantize`, `quantize-blocks`, `dequantize-blocks`, `gemm-mx`, `gemm-block` and `activation` on .npy files: results against NumPy, what they say of random
inputs, and every mistake a user can make. Usage: families_cli.py WAVETILE WORK_FOLDER"""

import json
import os

import numpy as np

from arrays import DEVICES, ROUNDOFF, fp8_codes, fp8_values, load, philox_words, rounded, save
from cli import WORK, check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "9"))


def compare(name, got, want, dtype, allowance=2.0**-18):
    """The result is rounded once; before, it is off by `allowance` of the largest."""
    check(got.shape == want.shape, f"{name}: shape {got.shape}, expected {want.shape}")
    error = np.abs(got.astype(np.float64) - want)
    within = error <= 1.01 * ROUNDOFF[dtype] * np.abs(want) + allowance * max(np.abs(want).max(), 1e-30)
    check(within.all(), f"{name}: {np.count_nonzero(~within)} elements out of bound, worst error {error.max()}")


def good(name, *arguments):
    result = run(*arguments, "--verify")
    check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")


def cases(rng, count):
    """Tests devices, types and shapes of up to four dimensions, rows apart or packed."""
    for case in range(count):
        shape = tuple(int(n) for n in rng.integers(1, 12, case % 3 + 1)) + (int(rng.integers(1, 300)),)
        dtype = ("f32", "bf16", "f16")[case % 3 if case < 6 else int(rng.integers(3))]
        yield f"case {case}: {shape} {dtype}", DEVICES[case % 2], dtype, shape, int(rng.integers(0, 2)) * int(rng.integers(1, 40))


def numbers(rng, shape, dtype):
    return rounded(rng.standard_normal(shape), dtype)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_softmax(rng):
    start("softmax", keep=True)
    for name, device, dtype, shape, gap in cases(rng, 9):
        x, dy = numbers(rng, shape, dtype), numbers(rng, shape, dtype)
        options = ["--dtype", dtype, "--device", device] + (["--ldx", shape[-1] + gap, "--ldy", shape[-1] + gap + 1] if gap else [])
        files = ["--x", save("x.npy", x.astype(np.float32)), "--out", "y.npy"]
        good(name, *files, *options)
        y = load("y.npy")
        compare(name, y, softmax(x), dtype)
        good(name + " backward", *files, "--dy", save("dy.npy", dy.astype(np.float32)), "--dx", "dx.npy", *options,
             *(["--lddx", shape[-1] + gap] if gap else []))
        check((load("y.npy") == y).all(), f"{name}: Y differs in the backward pass")
        stored = y.astype(np.float64)
        compare(name + " dx", load("dx.npy"), stored * (dy - (stored * dy).sum(axis=-1, keepdims=True)), dtype)


ACTIVATIONS = {
    "none": (lambda x: x, lambda x: np.ones_like(x)),
    "relu": (lambda x: np.maximum(x, 0), lambda x: (x > 0).astype(float)),
    "silu": (lambda x: x / (1 + np.exp(-x)), lambda x: 1 / (1 + np.exp(-x)) + x * np.exp(-x) / (1 + np.exp(-x)) ** 2),
}


def gelu(x):
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_slope(x):
    t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x / 2 * (1 - t**2) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)


ACTIVATIONS["gelu"] = gelu, gelu_slope


def test_activation(rng):
    start("activation", keep=True)
    functions = list(ACTIVATIONS)
    for case, (name, device, dtype, shape, gap) in enumerate(cases(rng, 12)):
        function = functions[case % 4]
        f, slope = ACTIVATIONS[function]
        x, gate, dy = (numbers(rng, shape, dtype) for _ in range(3))
        options = ["--function", function, "--dtype", dtype, "--device", device] + (["--ldx", shape[-1] + gap] if gap else [])
        files = ["--x", save("x.npy", x.astype(np.float32)), *options]
        gated = ["--gate", save("g.npy", gate.astype(np.float32)), *(["--ldgate", shape[-1] + gap] if gap else [])]
        gradient = ["--dy", save("dy.npy", dy.astype(np.float32)), "--dx", "dx.npy"]
        good(name, *files, "--out", "y.npy")
        compare(f"{name} {function}", load("y.npy"), f(x), dtype)
        good(name + " gated", *files, *gated, "--out", "y.npy")
        compare(f"{name} {function} gated", load("y.npy"), f(gate) * x, dtype)
        good(name + " backward", *files, *gradient)
        compare(f"{name} {function} dx", load("dx.npy"), slope(x) * dy, dtype)
        good(name + " gated backward", *files, *gated, *gradient, "--dgate", "dg.npy", "--out", "y.npy")
        compare(f"{name} {function} gated dx", load("dx.npy"), f(gate) * dy, dtype)
        compare(f"{name} {function} dgate", load("dg.npy"), slope(gate) * x * dy, dtype)
        compare(f"{name} {function} gated y", load("y.npy"), f(gate) * x, dtype)


def test_cross_entropy(rng):
    start("cross-entropy", keep=True)
    for case, (name, device, dtype, shape, gap) in enumerate(cases(rng, 12)):
        rows, columns = int(np.prod(shape[:-1])), shape[-1]
        x = 3 * numbers(rng, shape, dtype)
        x = rounded(x, dtype).reshape(rows, columns)
        labels = rng.integers(0, columns, rows)
        if case % 2:
            labels[rng.integers(rows)] = -7
        kept = labels != -7
        reduction, smoothing, factor = ("none", "sum", "mean")[case % 3], (0, 0.1)[case // 3 % 2], (1, -2.5)[case // 6]
        good(name, "--x", save("x.npy", x.reshape(shape).astype(np.float32)), "--labels",
             save("l.npy", labels.astype((np.int32, np.int64)[case % 2])), "--out", "loss.npy", "--dx", "dx.npy", "--lse",
             "lse.npy", "--reduction", reduction, "--label-smoothing", smoothing, "--grad-scale", factor, "--ignore-index", -7,
             "--dtype", dtype, "--device", device, *(["--ldx", columns + gap, "--lddx", columns + 2 * gap] if gap else []))
        most = x.max(axis=1)
        lse = most + np.log(np.exp(x - most[:, None]).sum(axis=1))
        hit = np.zeros_like(x)
        hit[np.arange(rows)[kept], labels[kept]] = 1
        smoothing = float(np.float32(smoothing))
        loss = lse - (1 - smoothing) * (hit * x).sum(axis=1) - smoothing * x.mean(axis=1)
        scale = factor / kept.sum() if reduction == "mean" and kept.any() else factor
        dx = scale * (softmax(x) - (1 - smoothing) * hit - smoothing / columns)
        compare(name + " loss", load("loss.npy"), np.where(kept, loss, 0), "f32", 2.0**-16)
        compare(name + " lse", load("lse.npy"), np.where(kept, lse, 0), "f32", 2.0**-16)
        compare(name + " dx", load("dx.npy"), np.where(kept[:, None], dx, 0).reshape(shape), dtype, 2.0**-16)


def test_quantize(rng):
    start("quantize", keep=True)
    for case, (name, device, dtype, shape, gap) in enumerate(cases(rng, 12)):
        to = ("f8e4m3", "f8e5m2")[case // 2 % 2]
        values = fp8_values(to, device)
        x = rounded(numbers(rng, shape, dtype) * 10.0 ** rng.integers(-3, 3), dtype)
        by_row, given = case % 3 > 0, case % 3 == 2
        rows = int(np.prod(shape[:-1]))
        axis = -1 if by_row else None
        amax = np.abs(x).max(axis=axis, keepdims=True).astype(np.float32)
        scale = np.where(amax > 0, amax / np.float32(values[-1]), np.float32(1)).astype(np.float32)
        options = ["--by-row"] if by_row else []
        if given:
            scale = (scale * rng.uniform(0.5, 2, scale.shape)).astype(np.float32)  # too small ones saturate
            options += ["--given", save("s.npy", scale.reshape(rows))]
        else:
            options += ["--scale", "scale.npy"]
        good(name, "--x", save("x.npy", x.astype(np.float32)), "--out", "q.npy", "--type-q", to, "--dtype",
             dtype, "--device", device, *options, *(["--ldx", shape[-1] + gap, "--ldq", shape[-1] + gap] if gap else []))
        scaled = x.astype(np.float32) * (np.float32(1) / scale)
        code = fp8_codes(scaled, values)
        start("dequantize", keep=True)
        good(name + " back", "--q", "q.npy", "--scale", "s.npy" if given else "scale.npy", "--out", "d.npy", "--type-q", to, "--dtype",
             dtype, "--device", device, *options[:by_row], *(["--ldq", shape[-1] + gap, "--ldx", shape[-1] + 2 * gap] if gap else []))
        start("quantize", keep=True)
        q = load("q.npy")
        check(q.dtype == np.uint8 and q.shape == shape and ((q & 0x7F) == code).all(), f"{name}: codes differ")
        check((((q & 0x80) != 0) == (scaled < 0))[code > 0].all(), f"{name}: signs differ")
        back = rounded((scale * np.copysign(values[code], scaled).astype(np.float32)).astype(np.float32), dtype)
        check((load("d.npy") == back).all(), f"{name}: what comes back differs")
        if not given:
            check((load("scale.npy").ravel() == scale.ravel()).all(), f"{name}: scales differ")


# These are the bits, fraction bits, bias, top exponent and largest number of each MX element type (OCP Microscaling specification v1.0,
# section 5.3).
MX = {"f4e2m1": (4, 1, 1, 2, 6.0), "f6e2m3": (6, 3, 1, 2, 7.5), "f6e3m2": (6, 2, 3, 4, 28.0), "f8e4m3": (8, 3, 7, 8, 448.0),
      "f8e5m2": (8, 2, 15, 15, 57344.0)}


def mx_values(name):
    """Returns the numbers that the codes without sign stand for, up to the largest."""
    bits, fraction, bias, _, largest = MX[name]
    code = np.arange(1 << (bits - 1))
    exponent, mantissa = code >> fraction, code & ((1 << fraction) - 1)
    values = np.where(exponent > 0, (mantissa + (1 << fraction)) * 2.0 ** (exponent - bias - fraction), mantissa * 2.0 ** (1 - bias - fraction))
    return values[values <= largest]


def mx_scales(name, amax, rounding):
    """Returns the E8M0 bytes of blocks with these largest magnitudes."""
    _, fraction, _, top, largest = MX[name]
    mantissa, exponent = np.frexp(amax)
    scale = exponent - 1 - top
    scale += {"up": amax > largest * 2.0**scale, "down": False, "even": mantissa >= 1 - 2.0 ** (-fraction - 2), "ceil": mantissa > 0.5}[rounding]
    return np.where(amax > 0, np.maximum(scale + 127, 0), 0)


def packed_bits(codes, bits):
    """Returns codes of the last axis, packed from the lowest bit of the first byte on."""
    each = (codes[..., None] >> np.arange(bits)) & 1
    return np.packbits(each.reshape(*codes.shape[:-1], -1).astype(np.uint8), axis=-1, bitorder="little")


def test_quantize_blocks(rng):
    for case in range(10):
        name, rounding = list(MX)[case % 5], ("up", "down", "even", "ceil")[case % 4]
        dtype, shape = ("f32", "bf16", "f16")[case % 3], [(3, 64), (2, 5, 96), (1, 32), (2, 2, 3, 64)][case % 4]
        bits, values = MX[name][0], mx_values(name)
        x = rounded(numbers(rng, shape, dtype) * 10.0 ** rng.integers(-3, 3), dtype)
        blocks = x.reshape(*shape[:-1], -1, 32)
        scale = mx_scales(name, np.abs(blocks).max(axis=-1), rounding)
        scaled = blocks / 2.0 ** (scale[..., None] - 127.0)
        code = fp8_codes(scaled, values)
        signed = code + (np.signbit(scaled) << (bits - 1))
        gaps = ["--ldx", shape[-1] + 7, "--ldq", shape[-1] * bits // 8 + 5, "--lds", shape[-1] // 32 + 1] if case % 2 else []
        start("quantize-blocks", keep=True)
        good(f"{name} {rounding}", "--x", save("x.npy", x.astype(np.float32)), "--out", "q.npy", "--scale", "s.npy", "--type-q", name,
             "--rounding", rounding, "--dtype", dtype, *gaps)
        start("dequantize-blocks", keep=True)
        good(f"{name} back", "--q", "q.npy", "--scale", "s.npy", "--out", "d.npy", "--type-q", name, "--dtype", dtype, *gaps)
        q, s = load("q.npy"), load("s.npy")
        check(s.dtype == np.uint8 and s.shape == scale.shape and (s == scale).all(), f"{name} {rounding}: scales differ")
        check(q.dtype == np.uint8 and (q == packed_bits(signed.reshape(shape), bits)).all(), f"{name} {rounding}: elements differ")
        back = np.copysign(values[code], scaled) * 2.0 ** (scale[..., None] - 127.0)
        check((load("d.npy") == rounded(back.reshape(shape), dtype)).all(), f"{name}: what comes back differs")


def test_stochastic_rounding(rng):
    """Elements are rounded up where their part of the step and the random bits of their place reach 1, also along columns."""
    for case, name in enumerate(MX):
        bits, values = MX[name][0], mx_values(name)
        together, seed, along = {8: 1, 4: 2, 6: 32}[bits], int(rng.integers(1, 2**31)), ("rows", "columns")[case % 2]
        x = numbers(rng, (64, 96), "bf16")
        lines = x.T if along == "columns" else x
        scale = mx_scales(name, np.abs(lines.reshape(len(lines), -1, 32)).max(axis=-1), "up")
        scaled = (lines.reshape(len(lines), -1, 32) / 2.0 ** (scale[..., None] - 127.0)).reshape(lines.shape)
        random = np.repeat(philox_words(len(lines), lines.shape[1] // together, seed), together, axis=1).astype(np.uint64)
        for element in range(lines.shape[1]):
            if element % together:
                before = random[:, element - 1]
                random[:, element] = (before << np.uint64(1) & np.uint64(0xFFFFFFFF)) ^ (before >> np.uint64(31)) * np.uint64(0xC5)
        low = np.minimum(np.searchsorted(values, np.abs(scaled), side="right") - 1, len(values) - 2)
        part = (np.abs(scaled) - values[low]) / (values[low + 1] - values[low])
        code = low + (np.floor(part * 2.0**32) + random >= 2.0**32) + (np.signbit(scaled) << (bits - 1))
        start("quantize-blocks", keep=True)
        good(f"{name} stochastic", "--x", save("x.npy", x.astype(np.float32)), "--out", "q.npy", "--scale", "s.npy", "--type-q", name,
             "--along", along, "--dtype", "bf16", "--element-rounding", "stochastic", "--seed", seed)
        check((load("q.npy") == packed_bits(code, bits)).all(), f"{name} {along}: elements differ after stochastic rounding")


def test_squares_and_columns(rng):
    """Blocks along columns are those along the rows of the transposed matrix; the blocks of squares share the largest magnitude of all."""
    for case, (name, along, shape) in enumerate((("f4e2m1", "columns", "lines"), ("f8e4m3", "rows", "squares"), ("f6e2m3", "columns", "squares"))):
        rows, columns = ((96, 50), (70, 64), (64, 33))[case]
        x = rounded(numbers(rng, (rows, columns), "bf16"), "bf16")
        lines = x.T if along == "columns" else x
        amax = np.abs(lines.reshape(len(lines), -1, 32)).max(axis=-1)
        if shape == "squares":
            amax = np.concatenate([np.broadcast_to(part.max(axis=0), part.shape) for part in np.split(amax, range(32, len(amax), 32))])
        scale = mx_scales(name, amax, "up")
        scaled = lines.reshape(len(lines), -1, 32) / 2.0 ** (scale[..., None] - 127.0)
        code = fp8_codes(scaled, mx_values(name)) + (np.signbit(scaled) << (MX[name][0] - 1))
        start("quantize-blocks", keep=True)
        gaps = ["--ldx", columns + 3, "--ldq", 131, "--lds", 9] if case else []
        good(name, "--x", save("x.npy", x.astype(np.float32)), "--out", "q.npy", "--scale", "s.npy", "--type-q", name, "--along", along,
             "--shape", shape, *gaps)
        check((load("s.npy") == scale).all(), f"{name} {along} {shape}: scales differ")
        check((load("q.npy") == packed_bits(code.reshape(lines.shape), MX[name][0])).all(), f"{name} {along} {shape}: elements differ")


def test_f32_blocks(rng):
    """F32 scales of 128 elements or of squares, on both chips, there and back."""
    for case, device in enumerate(DEVICES * 3):
        name, along, shape = ("f8e4m3", "f8e5m2")[case % 2], ("rows", "columns")[case // 3], ("lines", "squares")[case % 3 > 0]
        x = rounded(numbers(rng, ((150, 300), (129, 64))[case % 2], "bf16"), "bf16")
        lines, values = x.T if along == "columns" else x, fp8_values(name, device)
        blocks = [np.abs(part).max(axis=1) for part in np.split(lines, range(128, lines.shape[1], 128), axis=1)]
        amax = np.stack(blocks, axis=1).astype(np.float32)
        if shape == "squares":
            amax = np.stack([part.max(axis=0) for part in np.split(amax, range(128, len(amax), 128))])
        exact = amax / np.float32(values[-1])
        scale = (2.0 ** np.ceil(np.log2(amax.astype(np.float64) / values[-1]))).astype(np.float32) if case == 4 else exact
        each = np.repeat(np.repeat(scale, 128 if shape == "squares" else 1, axis=0)[:len(lines)], 128, axis=1)[:, :lines.shape[1]]
        scaled = lines.astype(np.float32) * (np.float32(1) / each)
        code = fp8_codes(scaled, values)
        options = ["--type-q", name, "--scales", "power-of-two" if case == 4 else "f32", "--shape", shape, "--device", device]
        start("quantize-blocks", keep=True)
        good(f"{options} {along}", "--x", save("x.npy", x.astype(np.float32)), "--out", "q.npy", "--scale", "s.npy", "--along", along,
             *options, *(["--ldq", 333, "--lds", 17] if case % 2 else []))
        start("dequantize-blocks", keep=True)
        good(f"{options} back", "--q", "q.npy", "--scale", "s.npy", "--out", "d.npy", "--dtype", "f32", *options)
        got = load("s.npy")
        check(got.dtype == np.float32 and (got == scale).all(), f"{options} {along}: scales differ")
        check(((load("q.npy") & 0x7F) == code).all(), f"{options} {along}: elements differ")
        check((load("d.npy") == (np.copysign(values[code], scaled).astype(np.float32) * each)).all(), f"{options}: what comes back differs")


def test_gemm_mx(rng):
    """Products of what quantize-blocks wrote, with and without gaps between rows, are those of what it stands for."""
    for types, dtype, (m, n, k) in (("f4e2m1 f4e2m1", "f32", (40, 70, 1056)), ("f6e3m2 f6e3m2", "f32", (20, 30, 416)),
                                    ("f8e4m3 f8e4m3", "bf16", (33, 20, 160)), ("f8e5m2 f8e4m3", "f32", (18, 35, 288)),
                                    ("f6e2m3 f4e2m1", "f32", (35, 18, 288))):
        name, of_b = types.split()
        for side, rows, of_side in (("a", m, name), ("b", n, of_b)):
            start("quantize-blocks", keep=True)
            good(f"{types} {side}", "--x", save("x.npy", numbers(rng, (rows, k), "f32")), "--out", f"{side}.npy", "--scale",
                 f"{side}s.npy", "--type-q", of_side)
            start("dequantize-blocks", keep=True)
            good(f"{types} {side} back", "--q", f"{side}.npy", "--scale", f"{side}s.npy", "--out", f"{side}x.npy", "--type-q", of_side)
        a, b = (load(f"{side}x.npy").astype(np.float64) for side in "ab")
        for gaps in ([], ["--lda", k + 16, "--lda-scale", k // 32 + 3, "--ldc", n + 5, "--split-k", 2]):
            start("gemm-mx", keep=True)
            good(f"{types} {gaps}", "--a", "a.npy", "--a-scale", "as.npy", "--b", "b.npy", "--b-scale", "bs.npy", "--out", "c.npy",
                 "--type-a", name, "--type-b", of_b, "--dtype", dtype, "--alpha", 0.5, *gaps)
            error = np.abs(load("c.npy") - 0.5 * a @ b.T)
            step = 2.0 ** -8 if dtype == "bf16" else 2.0 ** -20
            check((error <= step * (np.abs(a) @ np.abs(b).T)).all(), f"gemm-mx {types} {gaps}: off by {error.max()}")


def test_gemm_mx_of_bf16(rng):
    """A of bf16 has no scales, and is multiplied by what quantize-blocks wrote."""
    m, n, k = 21, 34, 544
    start("quantize-blocks", keep=True)
    good("weights", "--x", save("x.npy", numbers(rng, (n, k), "f32")), "--out", "b.npy", "--scale", "bs.npy", "--type-q", "f4e2m1")
    start("dequantize-blocks", keep=True)
    good("weights back", "--q", "b.npy", "--scale", "bs.npy", "--out", "bx.npy", "--type-q", "f4e2m1")
    a, b = numbers(rng, (m, k), "bf16"), load("bx.npy").astype(np.float64)
    files = ["--a", save("a.npy", a), "--b", "b.npy", "--b-scale", "bs.npy", "--out", "c.npy", "--type-a", "bf16"]
    for gaps in ([], ["--lda", k + 8, "--ldb", k // 2 + 16, "--b-layout", "rows", "--split-k", 2]):
        start("gemm-mx", keep=True)
        good(f"bf16 {gaps}", *files, "--dtype", "bf16", *gaps)
        error = np.abs(load("c.npy") - a.astype(np.float64) @ b.T)
        check((error <= 2.0**-8 * (np.abs(a) @ np.abs(b).T)).all(), f"gemm-mx of bf16 {gaps}: off by {error.max()}")
    refused("A of bf16 in another type", ["--type-a is bf16", "--dtype bf16"], *files, "--dtype", "f32")
    refused("scales of A of bf16", ["--a-scale is given", "no scales"], *files, "--dtype", "bf16", "--a-scale", "bs.npy")
    refused("B that bf16 is not multiplied by, without --dtype", ["--type-b is f8e4m3, but with --type-a bf16"], "--m", m, "--n", n, "--k", k,
            "--type-a", "bf16", "--type-b", "f8e4m3")
    refused("MX formats of MI300X", ["--device is sim:mi300x, which has no MX formats; pass sim:mi355x, or use wavetile gemm"], "--m", m, "--n", n,
            "--k", k, "--device", "sim:mi300x")
    refused("B that bf16 is not multiplied by", ["--type-b is f8e4m3", "with --type-a bf16 it must be f4e2m1"], "--m", m, "--n", n, "--k", k, "--type-a", "bf16", "--dtype",
            "bf16", "--type-b", "f8e4m3")


def test_gemm_mx_batch(rng):
    """Matrices of a batch lie one after the other, by rows or shuffled, with and without gaps."""
    batch, m, n, k = 3, 18, 48, 512
    for side, rows in (("a", m), ("b", n)):
        start("quantize-blocks", keep=True)
        good(side, "--x", save("x.npy", numbers(rng, (batch * rows, k), "f32")), "--out", f"{side}.npy", "--scale", f"{side}s.npy", "--type-q", "f4e2m1")
        start("dequantize-blocks", keep=True)
        good(f"{side} back", "--q", f"{side}.npy", "--scale", f"{side}s.npy", "--out", f"{side}x.npy", "--type-q", "f4e2m1")
    a, b = (load(f"{side}x.npy").astype(np.float64).reshape(batch, -1, k) for side in "ab")
    files = ["--a", "a.npy", "--a-scale", "as.npy", "--b", "b.npy", "--b-scale", "bs.npy", "--out", "c.npy", "--dtype", "f32"]
    for options in ([], ["--lda", k // 2 + 16, "--ldb-scale", k // 32 + 4, "--ldc", n + 5, "--split-k", 2],
                    ["--scale-layout", "shuffled", "--lda-scale", k // 32 + 4], ["--b-layout", "shuffled", "--ldb", k // 2 + 16]):
        start("gemm-mx", keep=True)
        good(f"batch {options}", *files, "--batch", batch, *options)
        error = np.abs(load("c.npy").reshape(batch, m, n) - a @ b.transpose(0, 2, 1))
        check((error <= 2.0**-20 * (np.abs(a) @ np.abs(b).transpose(0, 2, 1))).all(), f"gemm-mx --batch {options}: off by {error.max()}")
    record = json.loads(run("--batch", 2, "--m", 5, "--n", 32, "--k", 64, "--type-c", "f8e4m3", "--json").stdout)[0]
    check((record["batch_count"], record["n"], record["rows"], record["verdict"]) == (2, 32, 10, "correct"), f"a random batch: {record}")
    check(record["kernel"].startswith("gemm_mx_"), f"the kernel that ran: {record}")
    refused("rows that are no whole matrices", ["--a has 54 rows", "--batch 4"], *files, "--batch", 4)
    refused("no products", ['--batch is "0"'], *files, "--batch", 0)


def test_gemm_mx_prediction():
    """What is shuffled before the product is there in a prediction that computes nothing, too."""
    start("gemm-mx", keep=True)
    for layouts in (["--scale-layout", "shuffled"], ["--b-layout", "shuffled"]):
        result = run("--m", 32, "--n", 32, "--k", 512, "--predict", "--no-verify", *layouts)
        check(result.returncode == 0 and "predicted_cycles" in result.stdout, f"{layouts}: {result.stdout} {result.stderr}")


def test_gemm_mx_blocks(rng):
    """A product in an MX format has the bytes that quantize-blocks makes of the product in F32."""
    m, n, k = 40, 96, 352
    for side, rows in (("a", m), ("b", n)):
        start("quantize-blocks", keep=True)
        good(side, "--x", save("x.npy", numbers(rng, (rows, k), "f32")), "--out", f"{side}.npy", "--scale", f"{side}s.npy")
    files = ["--a", "a.npy", "--a-scale", "as.npy", "--b", "b.npy", "--b-scale", "bs.npy"]
    start("gemm-mx", keep=True)
    good("in F32", *files, "--out", "c.npy", "--dtype", "f32")
    for name, rounding, gaps in (("f8e4m3", "up", []), ("f4e2m1", "even", ["--ldq", n // 2 + 3, "--ldc-scale", n // 32 + 5])):
        start("gemm-mx", keep=True)
        good(f"in {name}", *files, "--out-q", "cq.npy", "--out-scale", "cs.npy", "--type-c", name, "--rounding", rounding, *gaps)
        start("quantize-blocks", keep=True)
        good(f"to {name}", "--x", "c.npy", "--out", "q.npy", "--scale", "s.npy", "--type-q", name, "--rounding", rounding, "--dtype", "f32")
        check((load("cq.npy") == load("q.npy")).all() and (load("cs.npy") == load("s.npy")).all(), f"gemm-mx --type-c {name}: bytes differ")


def test_gemm_block(rng):
    """Products of FP8 bytes and their scales are those of the numbers they stand for, however the scales are stored."""
    m, n, k = 40, 150, 300
    values = np.append(mx_values("f8e4m3"), 0)
    codes = {side: rng.integers(0, 256, (rows, k), np.uint8) for side, rows in (("a", m), ("b", n))}
    for code in codes.values():
        code[(code & 0x7F) == 0x7F] = 0  # NaN
    numbers_of = {side: np.copysign(values[code & 0x7F], np.where(code & 0x80, -1.0, 1.0)) for side, code in codes.items()}
    for rows_of_b in (False, True):
        scales = {"a": rng.standard_normal((m, 3)).astype(np.float32),
                  "b": rng.standard_normal((n if rows_of_b else 2, 3)).astype(np.float32)}
        full = {"a": numbers_of["a"] * np.repeat(scales["a"].astype(np.float64), 128, axis=1)[:, :k],
                "b": numbers_of["b"] * np.repeat(np.repeat(scales["b"].astype(np.float64), 1 if rows_of_b else 128, axis=0)[:n], 128, axis=1)[:, :k]}
        for turned in (False, True):
            start("gemm-block", keep=True)
            files = [word for side in "ab" for word in (f"--{side}", save(f"{side}.npy", codes[side]), f"--{side}-scale",
                     save(f"{side}s.npy", np.ascontiguousarray(scales[side].T) if turned else scales[side]))]
            good(f"{rows_of_b} {turned}", *files, "--out", "c.npy", "--dtype", "f32", "--alpha", 0.5, "--lda-scale", 47, "--ldc", n + 5,
                 *(["--rows-of-b"] if rows_of_b else []), *(["--transposed"] if turned else []))
            error = np.abs(load("c.npy") - 0.5 * full["a"] @ full["b"].T)
            check((error <= 2.0 ** -15 * (np.abs(full["a"]) @ np.abs(full["b"]).T)).all(), f"gemm-block: off by {error.max()}")
    record = json.loads(run("--m", 8, "--n", 16, "--k", 128, "--json").stdout)[0]
    check(record["kernel"].startswith("gemm_block_fp8"), f"the kernel that ran: {record}")


def test_powers_of_two(rng):
    """Powers of two are taken as scales, and files must have them where they are promised."""
    m, n, k = 24, 140, 320
    codes = {side: rng.integers(0, 0x70, (rows, k), np.uint8) for side, rows in (("a", m), ("b", n))}
    values = np.append(mx_values("f8e4m3"), 0)
    scales = {"a": 2.0 ** rng.integers(-9, 9, (m, 3)), "b": 2.0 ** rng.integers(-9, 9, (2, 3))}
    full = {"a": values[codes["a"]] * np.repeat(scales["a"], 128, axis=1)[:, :k],
            "b": values[codes["b"]] * np.repeat(np.repeat(scales["b"], 128, axis=0)[:n], 128, axis=1)[:, :k]}
    start("gemm-block", keep=True)
    files = [word for side in "ab" for word in (f"--{side}", save(f"{side}.npy", codes[side]), f"--{side}-scale",
             save(f"{side}s.npy", scales[side].astype(np.float32)))]
    good("powers of two", *files, "--out", "c.npy", "--dtype", "f32", "--scales", "power-of-two")
    want = full["a"] @ full["b"].T
    check((np.abs(load("c.npy") - want) <= 2.0 ** -14 * want).all(), "powers of two: C is another")
    record = json.loads(run("--m", 8, "--n", 16, "--k", 160, "--scales", "power-of-two", "--json").stdout)[0]
    check(record["kernel"].startswith("gemm_block_powers_") and record["scales"] == "power-of-two", f"the kernel that ran: {record}")
    refused("E8M0", ["--scales is e8m0", "gemm-mx"], "--m", 8, "--n", 16, "--k", 160, "--scales", "e8m0")
    scales["a"][5, 2] = 0.75
    save("as.npy", scales["a"].astype(np.float32))
    refused("another number", ["--a-scale as.npy", "[5, 2] is 0.75, no power of two", "--scales f32"], *files, "--out", "c.npy", "--scales",
            "power-of-two")


def test_block_results(rng):
    """A result that is quantised as it is computed has the bytes of one that is stored in float32 and quantised after."""
    for case in range(8):
        name, rounding, layout = list(MX)[case % 5], ("up", "down", "even", "ceil")[case % 4], ("rows", "shuffled")[case % 2]
        shape = (5, 416) if layout == "shuffled" or case % 4 else (2, 3, 96)
        x, other = (save(f"{side}.npy", numbers(rng, shape, "f32")) for side in ("x", "g"))
        calls = (("activation", ["--x", x, "--gate", other, "--function", "silu"]), ("norm", ["--x", x, "--residual", other, "--rms"]))
        for command, words in calls:
            words = [*words, *(["--ldx", shape[-1] + 3] if case % 2 else [])]
            start(command, keep=True)
            good(f"{command} to float32", *words, "--out", "y.npy")
            good(f"{command} to {name}", *words, "--quantize", name, "--rounding", rounding, "--scale-layout", layout, "--q", "q.npy",
                 "--scale", "s.npy")
            start("quantize-blocks", keep=True)
            good(f"{command} after", "--x", "y.npy", "--out", "q2.npy", "--scale", "s2.npy", "--type-q", name, "--rounding", rounding)
            check((load("q.npy") == load("q2.npy")).all(), f"{command} to {name}: elements differ")
            got, scales = load("s.npy"), load("s2.npy")
            if layout == "shuffled":
                padded = np.full((32, 16), 127, np.uint8)
                padded[:5, :13] = scales
                scales = padded.reshape(1, 2, 16, 2, 2, 4).transpose(0, 3, 5, 2, 4, 1).reshape(1, -1)
            check(got.dtype == np.uint8 and got.shape == scales.shape and (got == scales).all(), f"{command} to {name}: scales differ")
    for kind, device in (("f32", DEVICES[0]), ("power-of-two", DEVICES[1])):
        x = numbers(rng, (4, 160), "f32")
        start("activation", keep=True)
        good(f"FP8 {kind}", "--x", save("x.npy", x), "--function", "none", "--quantize", "f8e4m3", "--scales", kind, "--q", "q.npy",
             "--scale", "s.npy", "--device", device)
        largest = np.stack([np.abs(x[:, :128]).max(axis=1), np.abs(x[:, 128:]).max(axis=1)], axis=1)
        want = largest.astype(np.float64) / (448 if device == DEVICES[0] else 240)
        want = want if kind == "f32" else 2.0 ** np.ceil(np.log2(want))
        got = load("s.npy")
        check(got.dtype == np.float32 and (got == want.astype(np.float32)).all(), f"FP8 {kind}: scales {got}, expected {want}")


def test_random():
    """Random inputs depend on the seed alone, and are verified unless that is not wanted."""
    for command, size in (("softmax", ["--backward"]), ("activation", ["--gated", "--backward"]), ("cross-entropy", []),
                          ("quantize", ["--by-row"]), ("dequantize", ["--type-q", "f8e5m2"]), ("quantize-blocks", ["--columns", 96]),
                          ("dequantize-blocks", ["--columns", 96, "--type-q", "f6e3m2"]), ("norm", ["--fused", "--dropout", "0.3", "--backward"]),
                          ("norm", ["--columns", 96, "--quantize", "f6e2m3"]),
                          ("activation", ["--columns", 96, "--quantize", "f8e5m2", "--scales", "power-of-two"])):
        start(command, keep=True)
        words = ["--rows", 9, *([] if "--columns" in size else ["--columns", 90]), "--dtype", "bf16", *size]
        results = [run(*words, "--seed", seed) for seed in (5, 5, 6)]
        for result in results:
            check(result.returncode == 0 and "correct" in result.stdout and result.stderr == "", f"{command}: {result}")
        reports = [[line for line in r.stdout.splitlines() if "seconds" not in line] for r in results]
        check(reports[0] == reports[1], f"{command}: the same seed gives the same report")
        check(reports[0] != reports[2] or "quantize" in " ".join([command, *map(str, size)]), f"{command}: another seed gives another report")
        result = run(*words, "--no-verify")
        check(result.returncode == 0 and "unchecked" in result.stdout, f"{command}: {result}")


def test_mistakes():
    x = save("x.npy", np.ones((3, 4), np.float32))
    labels = save("l.npy", np.array([0, 3, -100]))
    start("softmax", keep=True)
    refused("nothing", ["--x is missing", "--rows and --columns"])
    refused("no output", ["--out is missing"], "--x", x)
    refused("no gradient", ["--dx is dx.npy", "no --dy"], "--x", x, "--dx", "dx.npy")
    refused("no place for the gradient", ["--dx is missing"], "--x", x, "--dy", x)
    refused("columns missing", ["--rows and --columns"], "--rows", "4")
    refused("more than the machine has", ["out of host memory for x"], "--rows", 2**31 - 1, "--columns", 2**30, code=1)
    refused("files and sizes", ["both files and sizes"], "--x", x, "--out", "y.npy", "--rows", "4")
    refused("backward with files", ["--backward", "--dy"], "--x", x, "--out", "y.npy", "--backward")
    refused("only the forward pass's output", ["--dx is missing"], "--x", x, "--dy", x, "--out", "y.npy")
    refused("one file twice", ["--out and --dx are both y.npy"], "--x", x, "--dy", x, "--out", "y.npy", "--dx", "y.npy")
    refused("another shape", ["--dy d.npy is 4 x 3", "--x is 3 x 4"], "--x", x, "--dy", save("d.npy", np.ones((4, 3), np.float32)),
            "--dx", "dx.npy")
    refused("short rows", ["--ldx is 3"], "--x", x, "--out", "y.npy", "--ldx", "3")
    refused("one dimension", ["1 dimension;", "2 to 4"], "--x", save("v.npy", np.ones(4, np.float32)), "--out", "y.npy")
    refused("type", ['--dtype is "i8"'], "--x", x, "--out", "y.npy", "--dtype", "i8")
    refused("beyond float16", ["--x big.npy holds 70000", "bf16"], "--x", save("big.npy", np.full((2, 2), 7e4, np.float32)), "--out",
            "y.npy", "--dtype", "f16")
    start("activation", keep=True)
    refused("function", ['--function is "tanh"'], "--x", x, "--out", "y.npy", "--function", "tanh")
    refused("gradient of no gate", ["--dgate is g.npy", "--gate"], "--x", x, "--dy", x, "--dx", "dx.npy", "--dgate", "g.npy")
    refused("gated with files", ["--gated", "--gate"], "--x", x, "--out", "y.npy", "--gated")
    for command in ("activation", "norm"):
        start(command, keep=True)
        sizes, files = ["--rows", 2, "--columns", 64], ["--x", save("x64.npy", np.ones((3, 64), np.float32))]
        refused("format", ['--quantize is "mxfp4"', "f4e2m1"], *sizes, "--quantize", "mxfp4")
        refused("scales", ['--scales is "bf16"', "power-of-two"], *sizes, "--quantize", "f8e4m3", "--scales", "bf16")
        refused("rounding", ['--rounding is "floor"', "ceil"], *sizes, "--quantize", "f4e2m1", "--rounding", "floor")
        refused("layout", ['--scale-layout is "columns"', "shuffled"], *sizes, "--quantize", "f4e2m1", "--scale-layout", "columns")
        refused("FP4 with F32 scales", ["--quantize is f4e2m1", "f8e5m2"], *sizes, "--quantize", "f4e2m1", "--scales", "f32")
        refused("way to round F32 scales", ["--rounding is 1", "F32 scales"], *sizes, "--quantize", "f8e4m3", "--scales", "f32", "--rounding",
                "down")
        refused("no format", ["--rounding is even", "no --quantize"], *sizes, "--rounding", "even")
        refused("no format for a file", ["--q is q.npy", "no --quantize"], *files, "--q", "q.npy")
        refused("gradients", ["--quantize is f4e2m1", "gradients"], *sizes, "--backward", "--quantize", "f4e2m1")
        refused("two results", ["--out is y.npy", "--q"], *files, "--out", "y.npy", "--quantize", "f4e2m1")
        refused("no result", ["--out is missing"], *files, "--quantize", "f4e2m1")
        refused("strides of shuffled scales", ["--lds is 512", "packed"], *sizes, "--quantize", "f4e2m1", "--scale-layout", "shuffled",
                "--lds", 512)
        refused("short rows", ["--ldq is 31", "32 elements"], *sizes, "--quantize", "f4e2m1", "--ldq", 31)
        refused("part of a block", ["--columns is 65", "32"], "--rows", 2, "--columns", 65, "--quantize", "f4e2m1")
        refused("part of a block in a file", ["x.npy has rows of 4 numbers", "32"], "--x", x, "--q", "q.npy", "--quantize", "f4e2m1")
        refused("strides of what is not there", ["--ldy is 64", "--ldq"], *sizes, "--quantize", "f4e2m1", "--ldy", 64)
        refused("MI300X", ["--device is sim:mi300x, which has no MX formats", "--scales f32"], *sizes, "--quantize", "f8e4m3", "--device", "sim:mi300x")
    start("cross-entropy", keep=True)
    good_files = ["--x", x, "--labels", labels, "--out", "y.npy"]
    refused("no labels", ["--labels is missing"], "--x", x, "--out", "y.npy")
    refused("few labels", ["--labels few.npy is 2", "one number for each row"], *good_files, "--labels",
            save("few.npy", np.array([0, 1])))
    refused("a class too many", ["element [1] is 4", "from 0 to 3"], *good_files, "--labels", save("bad.npy", np.array([0, 4, 1])))
    refused("a negative class", ["element [2] is -1"], *good_files, "--labels", save("bad.npy", np.array([0, 1, -1])))
    refused("labels of 64 bits", ["element [0] is 4294967296", "32 bits"], *good_files, "--labels",
            save("bad.npy", np.array([2**32, 1, 1])))
    refused("labels as floats", ["'<f4'", "int32 or int64"], *good_files, "--labels", save("bad.npy", np.ones(3, np.float32)))
    refused("smoothing", ["--label-smoothing is 2"], *good_files, "--label-smoothing", "2")
    refused("reduction", ['--reduction is "max"'], *good_files, "--reduction", "max")
    refused("ignored label", ["--ignore-index is 0.5"], *good_files, "--ignore-index", "0.5")
    start("quantize", keep=True)
    refused("type of Q", ['--type-q is "bf16"'], "--x", x, "--out", "q.npy", "--type-q", "bf16")
    refused("scales for no rows", ["--given s3.npy is 3", "one number for the whole array"], "--x", x, "--out", "q.npy", "--given",
            save("s3.npy", np.ones(3, np.float32)))
    refused("both scales", ["--given and --scale"], "--x", x, "--out", "q.npy", "--given", labels, "--scale", "s.npy", "--by-row")
    refused("a scale of 0", ["element [1] is 0", "2^-126"], "--x", x, "--out", "q.npy", "--by-row", "--given",
            save("s.npy", np.array([1, 0, 1], np.float32)))
    start("dequantize", keep=True)
    refused("no scale", ["--scale is missing"], "--q", save("q.npy", np.ones((3, 4), np.uint8)), "--out", "x2.npy")
    refused("Q as floats", ["--q x.npy has elements of type float32", "uint8"], "--q", x, "--out", "x2.npy", "--scale", x)
    start("quantize-blocks", keep=True)
    refused("type of elements", ['--type-q is "bf16"', "f4e2m1"], "--rows", 2, "--columns", 32, "--type-q", "bf16")
    refused("rounding", ['--rounding is "floor"', "ceil"], "--rows", 2, "--columns", 32, "--rounding", "floor")
    refused("rounding of elements", ['--element-rounding is "up"', "stochastic"], "--rows", 2, "--columns", 32, "--element-rounding", "up")
    refused("stochastic rounding with F32 scales", ["--element-rounding is stochastic", "--scales e8m0"], "--rows", 2, "--columns", 32,
            "--element-rounding", "stochastic", "--scales", "f32")
    refused("stochastic rounding of squares", ["--element-rounding is stochastic", "--shape lines"], "--rows", 2, "--columns", 32,
            "--element-rounding", "stochastic", "--shape", "squares")
    refused("stochastic rounding on gfx942", ["--device is sim:mi300x", "no MX formats"], "--rows", 2, "--columns", 32, "--element-rounding", "stochastic",
            "--device", "sim:mi300x")
    refused("part of a block", ["--columns is 33", "32"], "--rows", 2, "--columns", 33)
    refused("less than a block", ["--columns is 5", "32"], "--rows", 2, "--columns", 5)
    refused("part of a block in a file", ["x.npy has rows of 4 numbers", "32"], "--x", x, "--out", "q.npy")
    refused("short rows", ["--ldq is 15", "16 elements"], "--rows", 2, "--columns", 32, "--ldq", 15)
    refused("part of a block along columns", ["--rows is 2", "32"], "--rows", 2, "--columns", 32, "--along", "columns")
    refused("kind of scales", ['--scales is "bf16"', "power-of-two"], "--rows", 2, "--columns", 32, "--scales", "bf16")
    refused("shape", ['--shape is "round"', "squares"], "--rows", 2, "--columns", 32, "--shape", "round")
    refused("axis", ['--along is "diagonals"', "columns"], "--rows", 2, "--columns", 32, "--along", "diagonals")
    refused("F32 scales of FP4", ["--type-q is f4e2m1", "f8e4m3"], "--rows", 2, "--columns", 32, "--type-q", "f4e2m1", "--scales", "f32")
    refused("rounding of F32 scales", ["--rounding is up", "leave it out"], "--rows", 2, "--columns", 32, "--scales", "f32", "--rounding", "up")
    deep = save("deep.npy", np.ones((2, 3, 32), np.float32))
    refused("squares of 3 axes", ["deep.npy has 3 axes", "--shape squares"], "--x", deep, "--out", "q.npy", "--shape", "squares")
    refused("MI300X", ["--device is sim:mi300x, which has no MX formats; pass sim:mi355x, or --scales f32"], "--rows", 2, "--columns", 32, "--device", "sim:mi300x")
    start("dequantize-blocks", keep=True)
    refused("squares of 3 axes", ["deep8.npy has 3 axes", "--shape squares"], "--q", save("deep8.npy", np.ones((2, 3, 32), np.uint8)),
            "--scale", save("s8.npy", np.ones((1, 1), np.float32)), "--out", "x2.npy", "--scales", "f32", "--shape", "squares")
    codes = save("q.npy", np.ones((3, 48), np.uint8))
    refused("no scales", ["--scale is missing"], "--q", codes, "--out", "x2.npy")
    refused("part of a block of bytes", ["48 bytes", "f8e4m3 has 32"], "--q", codes, "--scale", codes, "--out", "x2.npy", "--type-q", "f8e4m3")
    refused("scales of another shape", ["--scale s.npy is 3 x 2", "rows and blocks"], "--q", codes, "--out", "x2.npy", "--scale",
            save("s.npy", np.ones((3, 2), np.uint8)))
    start("gemm-mx", keep=True)
    files = ["--a", codes, "--a-scale", codes, "--b", codes, "--b-scale", codes, "--out", "c.npy"]
    refused("nothing to multiply", ["--a is missing"])
    refused("no n", ["--n is missing", "--m, --n and --k"], "--m", 4, "--k", 64)
    refused("part of a block along k", ["--k is 40", "32"], "--m", 4, "--n", 4, "--k", 40)
    refused("parts of K", ["--split-k is 1025", "up to 1024"], "--m", 4, "--n", 4, "--k", 64, "--split-k", 1025)
    refused("type of A", ['--type-a is "f16"', "f8e4m3"], "--m", 4, "--n", 4, "--k", 64, "--type-a", "f16")
    refused("type of C", ['--type-c is "f6e2m3"', "f4e2m1"], "--m", 4, "--n", 32, "--k", 64, "--type-c", "f6e2m3")
    refused("part of a block along n", ["N is 40", "32"], "--m", 4, "--n", 40, "--k", 64, "--type-c", "f8e4m3")
    refused("rounding of scales", ['--rounding is "floor"'], "--m", 4, "--n", 32, "--k", 64, "--type-c", "f8e4m3", "--rounding", "floor")
    refused("two kinds of C", ["--out is for C of --dtype", "--out-q"], *files, "--type-c", "f8e4m3")
    refused("scales of C without a type", ["--out-scale is for C in an MX format", "--type-c"], *files, "--out-scale", "cs.npy")
    refused("types that have no kernel", ["--type-b is f8e4m3", "must be f4e2m1"], "--m", 4, "--n", 4, "--k", 64, "--type-b", "f8e4m3")
    refused("no scales of A", ["--a-scale is missing"], "--a", codes, "--b", codes, "--b-scale", codes, "--out", "c.npy")
    refused("part of a block in A", ["rows of 48 bytes", "32 bytes"], *files, "--type-a", "f8e4m3")
    refused("scales of another shape", ["--a-scale q.npy is 3 x 48", "rows and blocks"], *files)
    start("gemm-block", keep=True)
    refused("nothing to multiply", ["--a is missing"])
    refused("no k", ["--k is missing", "--m, --n and --k"], "--m", 4, "--n", 64)
    refused("no scales of B", ["--b-scale is missing"], "--a", codes, "--a-scale", x, "--b", codes, "--out", "c.npy")
    refused("elements that are no bytes", ["x.npy has elements of type float32", "uint8"], "--a", x, "--a-scale", x, "--b", x, "--b-scale",
            x, "--out", "c.npy")
    refused("scales of another shape", ["--a-scale x.npy is 3 x 4", "rows and blocks"], "--a", codes, "--a-scale", x, "--b", codes,
            "--b-scale", x, "--out", "c.npy")
    for command in ("softmax", "activation", "cross-entropy", "quantize", "dequantize", "quantize-blocks", "dequantize-blocks", "norm", "rotary",
                    "gemm-mx", "gemm-block", "experts", "shuffle"):
        start(command, keep=True)
        result = run("-h")
        check(result.returncode == 0 and "--predict" in result.stdout and "--explain" not in result.stdout, f"{command} -h")


start()
print("seed", SEED)
generator = np.random.default_rng(SEED)
test_softmax(generator)
test_activation(generator)
test_cross_entropy(generator)
test_quantize(generator)
test_quantize_blocks(generator)
test_stochastic_rounding(generator)
test_squares_and_columns(generator)
test_f32_blocks(generator)
test_gemm_mx(generator)
test_gemm_mx_of_bf16(generator)
test_gemm_mx_batch(generator)
test_gemm_mx_prediction()
test_gemm_mx_blocks(generator)
test_gemm_block(generator)
test_powers_of_two(generator)
test_block_results(generator)
test_random()
test_mistakes()
finish()
