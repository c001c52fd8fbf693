# SPDX-License-Identifier: MIT
"""Tests `wavetile attention` on .npy files: results and gradients against NumPy in float64, and every mistake a user can make: exit
code, one sentence that names it, no file left behind. Usage: attention_cli.py WAVETILE WORK_FOLDER"""

import os

import numpy as np

from arrays import load, rounded, save
from cli import WORK, check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "5"))
DEVICES = ("sim:mi355x", "sim:mi300x")
ROUNDOFF = {"bf16": 2.0**-8, "f16": 2.0**-11}


def seen(queries, keys, causal, window):
    """Returns [query][key]: which keys a query sees, positions aligned at the end."""
    distance = np.arange(queries)[:, None] + keys - queries - np.arange(keys)[None, :]
    mask = np.ones((queries, keys), bool)
    if causal:
        mask &= distance >= 0
    if window:
        mask &= np.abs(distance) < window
    return mask


def kept_weights(queries, keys, dropout, seed, head):
    """Returns the factor of each weight of a head, from the words of Philox4x32-7, by the descriptor's comment."""
    kept = round(256 * (1 - float(np.float32(dropout))))
    query, key = np.meshgrid(np.arange(queries, dtype=np.uint64), np.arange(keys, dtype=np.uint64), indexing="ij")
    word = np.uint64(0xFFFFFFFF)
    c = [key // 4, query // 4, np.full_like(key, head), np.zeros_like(key)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(7):
        m0, m1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high0, high1 = m0 >> np.uint64(32), m1 >> np.uint64(32)
        c = [high1 ^ c[1] ^ np.uint64(k[0]), m1 & word, high0 ^ c[3] ^ np.uint64(k[1]), m0 & word]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    words = np.choose((query % 4).astype(np.int64), c)
    return np.where((words >> (key % 4 * 8) & np.uint64(255)) < kept, 256 / kept, 0)


def attention(q, k, v, scale=None, causal=False, window=0, dout=None, sinks=None, soft_cap=None, slopes=None,
              dropout=0, seed=0):
    """Returns O, LSE, and with dout dQ, dK and dV, of tensors [batch][row][head][element], by the definition in
    float64; beside each the sum of the magnitudes of what was added up, which errors are relative to. With sinks, the
    gradient of them is
    the last result; slopes are [batch][head]."""
    batch, queries, heads, dim = q.shape
    keys, kv_heads = k.shape[1:3]
    scale = scale or dim**-0.5
    mask = seen(queries, keys, causal, window)
    o = np.zeros((batch, queries, heads, v.shape[3]))
    lse = np.full((batch, heads, queries), -np.inf)
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    dsinks = np.zeros(heads)
    sizes = [np.zeros(x.shape) for x in (o, dq, dk, dv, dsinks)]
    for b in range(batch):
        for h in range(heads):
            g = h // (heads // kv_heads)
            s, slope = scale * (q[b, :, h] @ k[b, :, g].T), 1
            if soft_cap:
                share = np.tanh(s / soft_cap)
                s, slope = soft_cap * share, 1 - share**2
            if slopes is not None:
                s = s - slopes[b, h] * (np.arange(queries)[:, None] + keys - queries - np.arange(keys)[None, :])
            s = np.where(mask, s, -np.inf)
            most = np.max(s, axis=1, keepdims=True)
            if sinks is not None:
                most = np.maximum(most, sinks[h])
            most[~np.isfinite(most)] = 0
            e = np.exp(s - most)
            total = e.sum(axis=1, keepdims=True)
            of_sink = 0 if sinks is None else np.exp(sinks[h] - most)
            total = total + of_sink
            some = total[:, 0] > 0
            p = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
            lse[b, h, some] = most[some, 0] + np.log(total[some, 0])
            factor = kept_weights(queries, keys, dropout, seed, b * heads + h)
            dropped = p * factor
            o[b, :, h] = dropped @ v[b, :, g]
            sizes[0][b, :, h] = dropped @ np.abs(v[b, :, g])
            if dout is None:
                continue
            gradient = dout[b, :, h]
            delta = (gradient * o[b, :, h]).sum(axis=1, keepdims=True)
            ds = p * slope * (factor * (gradient @ v[b, :, g].T) - delta)
            size = p * slope * (factor * (np.abs(gradient) @ np.abs(v[b, :, g].T)) + np.abs(gradient * o[b, :, h]).sum(axis=1, keepdims=True))
            if sinks is not None:
                dsinks[h] -= (of_sink / total * delta).sum()
                sizes[4][h] += (of_sink / total * np.abs(gradient * o[b, :, h]).sum(axis=1, keepdims=True)).sum()
            dv[b, :, g] += dropped.T @ gradient
            dk[b, :, g] += scale * ds.T @ q[b, :, h]
            dq[b, :, h] = scale * ds @ k[b, :, g]
            sizes[1][b, :, h] = scale * size @ np.abs(k[b, :, g])
            sizes[2][b, :, g] += scale * size.T @ np.abs(q[b, :, h])
            sizes[3][b, :, g] += p.T @ np.abs(gradient)
    return (o, lse, dq, dk, dv) + ((dsinks,) if sinks is not None else ()), sizes


def compare(name, got, wanted, size, roundoff):
    """P, dS, O and the result are each rounded once to the type; a fourth stands for the sums in f32."""
    check(got.shape == wanted.shape, f"{name}: shape {got.shape}, expected {wanted.shape}")
    if got.shape != wanted.shape:
        return
    error = np.abs(got.astype(np.float64) - wanted)
    within = error <= 4 * roundoff * size + 1e-6
    check(within.all(), f"{name}: {np.count_nonzero(~within)} elements out of bound, worst error {np.nanmax(error)}")


def same_lse(name, got, wanted):
    check(got.shape == wanted.shape and got.dtype == np.float32, f"{name}: LSE is {got.dtype} {got.shape}")
    good = (got == wanted) | (np.abs(got - np.where(np.isfinite(wanted), wanted, 0)) < 1e-4)
    check(good.all(), f"{name}: {np.count_nonzero(~good)} log-sum-exps differ")


def tensors(rng, batch, queries, keys, heads, kv_heads, dim, value_dim=None):
    value_dim = value_dim or dim
    shapes = [(batch, queries, heads, dim), (batch, keys, kv_heads, dim), (batch, keys, kv_heads, value_dim),
              (batch, queries, heads, value_dim)]
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def test_results(rng):
    """Tests random shapes and masks, forward and backward, on both chips."""
    for device in DEVICES:
        for dtype in ROUNDOFF:
            for dim in (64, 128):
                batch, kv_heads, group = rng.integers(1, 3, 3)
                queries, keys = rng.integers(1, 200, 2)
                causal, window = bool(rng.integers(2)), int(rng.integers(0, 2) * rng.integers(1, 80))
                x = tensors(rng, batch, queries, keys, kv_heads * group, kv_heads, dim)
                scale = float(rng.integers(1, 32)) / 64
                files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip(("q", "k", "v", "dout"), x)]
                options = ["--scale", scale, "--device", device, "--dtype", dtype] + ["--causal"] * causal
                options += ["--window", window] if window else []
                what = f"{device} {dtype} {[a.shape for a in x]} {options}"
                result = run(*files, *options, "--out", "o.npy", "--lse", "lse.npy", "--dq", "dq.npy", "--dk", "dk.npy", "--dv",
                             "dv.npy", "--verify", *(["--deterministic"] * int(rng.integers(2))))
                check(result.returncode == 0 and "correct" in result.stdout, f"{what}: {result.stdout} {result.stderr}")
                q, k, v, dout = [rounded(a, dtype) for a in x]
                (o, lse, *gradients), sizes = attention(q, k, v, np.float32(scale), causal, window, dout)
                same_lse(what, load("lse.npy"), lse)
                for name, wanted, size in zip(("o", "dq", "dk", "dv"), (o, *gradients), sizes):
                    compare(f"{name}: {what}", load(name + ".npy"), wanted, size, ROUNDOFF[dtype])


def test_sinks(rng):
    """Tests sinks, and the gradient of them, on both chips; and what is refused."""
    for device, dtype, causal in zip(DEVICES, ROUNDOFF, (True, False)):
        x = tensors(rng, 2, 70, 60, 4, 2, 64)
        sinks = (2 * rng.standard_normal(4)).astype(np.float32)
        files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip(("q", "k", "v", "dout", "sinks"), (*x, sinks))]
        outputs = [f"--{n}={n}.npy" for n in ("lse", "dq", "dk", "dv", "dsinks")]
        result = run(*files, "--out", "o.npy", *outputs, "--device", device, "--dtype", dtype, "--verify",
                     *(["--causal"] * causal))
        check(result.returncode == 0 and "correct" in result.stdout, f"sinks on {device}: {result.stdout} {result.stderr}")
        q, k, v, dout = [rounded(a, dtype) for a in x]
        (o, lse, *gradients), sizes = attention(q, k, v, causal=causal, dout=dout, sinks=sinks.astype(np.float64))
        same_lse(f"sinks on {device}", load("lse.npy"), lse)
        for name, wanted, size in zip(("o", "dq", "dk", "dv", "dsinks"), (o, *gradients), sizes):
            compare(f"{name} with sinks on {device}", load(name + ".npy"), wanted, size, ROUNDOFF[dtype])
    refused("sinks of three heads", ["--sinks", "3 numbers", "4 heads"], *files[:3], f"--sinks={save('three.npy', sinks[:3])}",
            "--out", "none.npy")
    refused("a gradient without the backward pass", ["--dsinks", "--dout"], *files[:3], files[4], "--out", "none.npy",
            "--dsinks", "none2.npy")
    refused("a gradient without sinks", ["--dsinks", "--sinks"], *files[:4], "--out", "none.npy", *outputs)


def test_scores(rng):
    """Soft caps, ALiBi, dropout and narrow heads, on both chips; and what is refused."""
    for device, dtype, causal, dim in zip(DEVICES, ROUNDOFF, (True, False), (40, 96)):
        x = tensors(rng, 2, 70, 60, 4, 2, dim, 64)
        slopes = (2.0 ** -rng.integers(1, 9, (2, 4))).astype(np.float32)
        files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip(("q", "k", "v", "dout", "alibi-slopes"), (*x, slopes))]
        outputs = [f"--{n}={n}.npy" for n in ("lse", "dq", "dk", "dv")]
        what = f"scores on {device}"
        result = run(*files, "--out", "o.npy", *outputs, "--device", device, "--dtype", dtype, "--verify", "--soft-cap", 1.5,
                     "--dropout", 0.3, "--seed", 2**40 + 7, *(["--causal"] * causal))
        check(result.returncode == 0 and "correct" in result.stdout and "soft cap" in result.stdout and "ALiBi" in result.stdout
              and "dropout" in result.stdout,
              f"{what}: {result.stdout} {result.stderr}")
        q, k, v, dout = [rounded(a, dtype) for a in x]
        (o, lse, *gradients), sizes = attention(q, k, v, causal=causal, dout=dout, soft_cap=1.5, slopes=slopes.astype(np.float64),
                                               dropout=0.3, seed=2**40 + 7)
        same_lse(what, load("lse.npy"), lse)
        for name, wanted, size in zip(("o", "dq", "dk", "dv"), (o, *gradients), sizes):
            compare(f"{name} of {what}", load(name + ".npy"), wanted, size, ROUNDOFF[dtype])
    refused("slopes of three heads", ["--alibi-slopes", "3 numbers", "4 heads"], *files[:3],
            f"--alibi-slopes={save('three.npy', slopes[0, :3])}", "--out", "none.npy")
    slopes[1, 2] = np.nan
    refused("a slope of NaN", ["--alibi-slopes", "element [1, 2] is NaN", "finite"], *files[:3],
            f"--alibi-slopes={save('nan.npy', slopes)}", "--out", "none.npy")


def test_forms(rng):
    """The dimensions files may have, their orders and types, and the types of results."""
    x = tensors(rng, 1, 40, 50, 2, 1, 64)
    q, k, v, _ = [rounded(a, "bf16") for a in x]
    (o, lse, *_), (size, *_) = attention(q, k, v)

    def form(name, arrays, wanted, wanted_lse, *options, roundoff=2.0**-8, dtype=np.float32):
        files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip("qkv", arrays)]
        result = run(*files, "--out", "o.npy", "--lse", "lse.npy", *options)
        check(result.returncode == 0 and "nothing" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
        got = load("o.npy")
        check(got.dtype == dtype, f"{name}: written as {got.dtype}")
        compare(name, got, wanted, np.broadcast_to(size.max(), wanted.shape), roundoff)
        same_lse(name, load("lse.npy"), wanted_lse)

    form("four dimensions", x[:3], o, lse)
    form("three dimensions", [a[0] for a in x[:3]], o[0], lse[0])
    form("two dimensions", [x[0][0, :, 1], x[1][0, :, 0], x[2][0, :, 0]], o[0, :, 1], lse[0, 1])
    form("fortran order", [np.asfortranarray(a) for a in x[:3]], o, lse)
    form("float16 out", x[:3], o, lse, "--out-dtype", "f16", dtype=np.float16)
    halves = [a.astype(np.float16) for a in x[:3]]
    (o, lse, *_), (size, *_) = attention(*[a.astype(np.float64) for a in halves])
    form("float16 in", halves, o, lse, "--dtype", "f16", roundoff=2.0**-11)


def test_kinds(rng):
    """Tests what gfx950 alone has: wide heads, and FP8, whose own rounding the command's verification knows."""
    for dim, value_dim in ((192, 128), (256, 256)):
        x = tensors(rng, 1, 70, 90, 2, 2, dim, value_dim)
        files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip("qkv", x)]
        result = run(*files, "--out", "o.npy", "--causal", "--verify")
        check(result.returncode == 0 and "correct" in result.stdout, f"{dim}: {result.stdout} {result.stderr}")
        (o, *_), (size, *_) = attention(*[rounded(a, "bf16") for a in x[:3]], causal=True)
        compare(f"{dim}", load("o.npy"), o, size, 2.0**-8)
        refused("wide heads on gfx942", [f"--head-dim is {dim}", "gfx942"], *files, "--out", "none.npy", "--device",
                "sim:mi300x")
    for dtype in ("f8e4m3", "f8e5m2"):
        result = run("--queries", 70, "--keys", 90, "--heads", 2, "--dtype", dtype, "--window", 40)
        check(result.returncode == 0 and "correct" in result.stdout and "scale" in result.stdout,
              f"{dtype}: {result.stdout} {result.stderr}")
        refused("FP8 on gfx942", [f"--dtype is {dtype}", "gfx942"], "--queries", 70, "--dtype", dtype, "--device", "sim:mi300x")
    refused("FP8 backward", ["--dtype is f8e4m3", "backward"], "--queries", 70, "--dtype", "f8e4m3", "--backward")


def packed_attention(lengths, q, k, v, **options):
    """Tests the same of sequences whose rows follow each other, [row][head][element]: each on its own."""
    starts = [np.concatenate(([0], np.cumsum(x))) for x in lengths]
    dout = options.pop("dout", None)
    results, sizes = [], []
    for i in range(len(lengths[0])):
        a, b = (slice(x[i], x[i + 1]) for x in starts)
        one = attention(q[None, a], k[None, b], v[None, b], dout=None if dout is None else dout[None, a], **options)
        results.append([x[0] for x in one[0]])
        sizes.append([x[0] for x in one[1]])
    joined = [np.concatenate([r[i] for r in results], axis=1 if i == 1 else 0) for i in range(5)]
    return joined, [np.concatenate([s[i] for s in sizes]) for i in range(4)]


def test_packed(rng):
    """Tests batches of different lengths, empty ones among them, forward and backward, on both chips."""
    for device in DEVICES:
        for dtype in ROUNDOFF:
            dim, kv_heads, group = int(rng.choice((64, 128))), *rng.integers(1, 3, 2)
            lengths = rng.integers(0, 90, (2, rng.integers(2, 6)))
            lengths[:, 0] = rng.integers(1, 90, 2)
            lengths[:, -1] = (1, 70)
            x = [a[0] for a in tensors(rng, 1, *lengths.sum(axis=1), kv_heads * group, kv_heads, dim)]
            causal = bool(rng.integers(2))
            files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip(("q", "k", "v", "dout"), x)]
            for name, some, kind in zip(("q", "k"), lengths, (np.int64, np.int32)):
                files.append(f"--{name}-offsets={save(name + 's.npy', np.concatenate(([0], np.cumsum(some))).astype(kind))}")
            options = ["--device", device, "--dtype", dtype] + ["--causal"] * causal
            what = f"packed {device} {dtype} {lengths.tolist()} {[a.shape for a in x]} {options}"
            result = run(*files, *options, "--out", "o.npy", "--lse", "lse.npy", "--dq", "dq.npy", "--dk", "dk.npy", "--dv",
                         "dv.npy", "--verify")
            check(result.returncode == 0 and "correct" in result.stdout, f"{what}: {result.stdout} {result.stderr}")
            check(f"{lengths.shape[1]} packed sequences" in result.stdout, f"{what}: {result.stdout}")
            q, k, v, dout = [rounded(a, dtype) for a in x]
            (o, lse, *gradients), sizes = packed_attention(lengths, q, k, v, causal=causal, dout=dout)
            same_lse(what, load("lse.npy"), lse)
            for name, wanted, size in zip(("o", "dq", "dk", "dv"), (o, *gradients), sizes):
                compare(f"{name}: {what}", load(name + ".npy"), wanted, size, ROUNDOFF[dtype])
    lengths = np.array([[7, 30]] * 2)
    x = [a[0, :, 0] for a in tensors(rng, 1, 37, 37, 1, 1, 64)[:3]]
    files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip("qkv", x)]
    result = run(*files, "--q-offsets", save("both.npy", np.array([0, 7, 37])), "--out", "o.npy", "--lse", "lse.npy")
    check(result.returncode == 0, f"one head, the same offsets for both: {result.stderr}")
    (o, lse, *_), (size, *_) = packed_attention(lengths, *[rounded(a, "bf16")[:, None] for a in x])
    compare("one head of a packed batch", load("o.npy"), o[:, 0], size[:, 0], ROUNDOFF["bf16"])
    same_lse("one head of a packed batch", load("lse.npy"), lse[0])
    result = run("--q-offsets", "both.npy", "--k-offsets", save("more.npy", np.array([0, 50, 50], np.int32)), "--heads", 2,
                 "--head-dim", 64, "--backward", "--causal")
    check(result.returncode == 0 and "2 packed sequences, 37 queries, 50 keys; the longest 30 and 50" in result.stdout,
          f"random packed tensors: {result.stdout} {result.stderr}")


def test_rows_apart(rng):
    """Tests rows further apart than packed ones, forward and backward, packed batches too; the same results."""
    for device in DEVICES:
        q, k, v, dout = tensors(rng, 2, 30, 40, 4, 2, 64)
        files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip(("q", "k", "v", "dout"), (q, k, v, dout))]
        outputs = [f"--{name}={name}.npy" for name in ("out", "lse", "dq", "dk", "dv")]
        results = []
        for apart in ([], ["--ldq", 264, "--ldk", 136, "--ldv", 192, "--ldo", 257],
                      ["--ldq", 264, "--stride-q", 8001, "--stride-k", 6000, "--stride-v", 5128, "--stride-o", 7777]):
            result = run(*files, *outputs, "--deterministic", "--verify", "--device", device, *apart)
            check(result.returncode == 0 and "correct" in result.stdout, f"rows apart {apart}: {result.stdout} {result.stderr}")
            results.append([load(name + ".npy") for name in ("out", "lse", "dq", "dk", "dv")])
        for one, *others in zip(*results):
            for other in others:
                check(np.allclose(one, other, rtol=2.0**-6, atol=2.0**-6), f"rows apart on {device}: {np.abs(one - other).max()}")
    offsets = save("offsets.npy", np.array([0, 13, 40]))
    result = run("--q-offsets", offsets, "--heads", 2, "--head-dim", 64, "--ldq", 200, "--ldo", 130, "--backward")
    check(result.returncode == 0 and "correct" in result.stdout, f"a packed batch with rows apart: {result.stdout} {result.stderr}")
    refused("short rows", ["--ldk is 127", "128 elements"], "--queries", "8", "--heads", "2", "--head-dim", "64", "--ldk", "127")
    batch = ["--queries", "8", "--batch", "2", "--heads", "2", "--head-dim", "64"]
    refused("batch members that overlap", ["--stride-v is 1023", "1024 elements"], *batch, "--stride-v", "1023")
    result = run(*batch, "--stride-o", 1024, "--ldk", 130, "--stride-k", 1038)
    check(result.returncode == 0 and "correct" in result.stdout, f"batch members that touch: {result.stdout} {result.stderr}")
    refused("strides of a packed batch", ["--stride-q is 9000", "leave it out"], "--q-offsets", offsets, "--stride-q", "9000")


def test_bad_packing(rng):
    q, k, v, _ = [a[0] for a in tensors(rng, 1, 6, 8, 2, 2, 64)]
    files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip("qkv", (q, k, v))] + ["--out", "none.npy"]
    good = {"q": save("qs.npy", np.array([0, 2, 6])), "k": save("ks.npy", np.array([0, 8, 8]))}

    def bad(name, words, *options, **changed):
        offsets = dict(good, **changed)
        refused(name, words, *files, *[f"--{n}-offsets={f}" for n, f in offsets.items()], *options)

    def numbers(*values, kind=np.int64):
        return save("bad.npy", np.array(values, kind))

    bad("offsets missing", ["--q-offsets", "absent.npy", "No such file"], q="absent.npy")
    bad("offsets in two dimensions", ["--k-offsets", "bad.npy", "2 dimensions", "vector"], k=numbers([0, 8]))
    bad("offsets as floats", ["--q-offsets", "bad.npy", "'<f4'", "int32 or int64"], q=numbers(0, 6, kind=np.float32))
    bad("one offset", ["--q-offsets", "bad.npy has 1 number"], q=numbers(0))
    bad("a first offset", ["--k-offsets", "bad.npy begins with 1", "row 0"], k=numbers(1, 4, 8))
    bad("falling offsets", ["element [2] of bad.npy is 3", "the one before, 5"], q=numbers(0, 5, 3))
    bad("negative offsets", ["element [1] of bad.npy is -2"], k=numbers(0, -2, 8))
    bad("huge offsets", ["element [2] of bad.npy is 2147483648", "at most 2147483647"], q=numbers(0, 2, 2**31))
    bad("only empty sequences", ["--q-offsets", "all sequences of bad.npy are empty"], q=numbers(0, 0, 0))
    bad("as many offsets", ["bad.npy has 2 numbers", "ks.npy has 3"], q=numbers(0, 6))
    bad("rows of Q", ["bad.npy ends at row 5", "q.npy has 6 rows"], q=numbers(0, 2, 5))
    bad("rows of K", ["bad.npy ends at row 9", "k.npy has 8 rows"], k=numbers(0, 2, 9))
    bad("a batch dimension", ["--batch is 2", "--q-offsets"], "--batch", "2")
    whole = [f"--{n}={save('four.npy', a[None])}" for n, a in zip("qkv", (q, q, q))]
    refused("four dimensions", ["four.npy has 4 dimensions", "packed", "3 or 2"], *whole, "--out", "none.npy", "--q-offsets",
            good["q"])
    refused("keys alone", ["--k-offsets is ks.npy", "--q-offsets"], *files, "--k-offsets", good["k"])
    refused("sizes of sequences", ["--queries is 4", "--q-offsets"], "--queries", "4", "--q-offsets", good["q"])
    refused("keys of sequences", ["--keys is 4", "--q-offsets"], "--keys", "4", "--q-offsets", good["q"])


def test_no_keys(rng):
    """Tests queries before the first key: zeros and minus infinity, and gradients of zero."""
    x = tensors(rng, 1, 20, 5, 1, 1, 64)
    files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip(("q", "k", "v", "dout"), x)]
    result = run(*files, "--causal", "--out", "o.npy", "--lse", "lse.npy", "--dq", "dq.npy", "--dk", "dk.npy", "--dv", "dv.npy")
    check(result.returncode == 0, f"no keys: {result.stderr}")
    o, lse, dq = load("o.npy"), load("lse.npy"), load("dq.npy")
    check((o[0, :15] == 0).all() and (o[0, 15:] != 0).any(), "O of queries that see no key")
    check(np.isneginf(lse[0, 0, :15]).all() and np.isfinite(lse[0, 0, 15:]).all(), "LSE of queries that see no key")
    check((dq[0, :15] == 0).all() and (dq[0, 16:] != 0).any(), "dQ of queries that see no key")
    check(np.isfinite(load("dk.npy")).all() and np.isfinite(load("dv.npy")).all(), "dK and dV")


def test_bad_files(rng):
    q, k, v, dout = tensors(rng, 2, 6, 8, 4, 2, 64)
    good = {"q": save("q.npy", q), "k": save("k.npy", k), "v": save("v.npy", v)}

    def bad(name, words, *options, **changed):
        files = dict(good, **changed)
        refused(name, words, *[f"--{n}={f}" for n, f in files.items()], "--out", "none.npy", *options)

    bad("missing", ["absent.npy", "No such file"], q="absent.npy")
    bad("one dimension", ["bad.npy", "1 dimension;", "2 to 4"], k=save("bad.npy", k.ravel()))
    bad("five dimensions", ["bad.npy", "5 dimensions"], v=save("bad.npy", v[None]))
    bad("other dimensions", ["q.npy has 4 dimensions", "bad.npy has 3"], k=save("bad.npy", k[0]))
    bad("other rows", ["q.npy has 64 elements per row", "bad.npy has 32"], k=save("bad.npy", k[..., :32]))
    bad("other keys", ["k.npy has 8 keys", "bad.npy has 7"], v=save("bad.npy", v[:, :7]))
    bad("other heads of V", ["k.npy has 2 heads", "bad.npy has 1"], v=save("bad.npy", v[:, :, :1]))
    bad("other batch", ["q.npy has 2 batch members", "bad.npy has 1"], v=save("bad.npy", v[:1]))
    odd = np.repeat(k[:, :, :1], 3, axis=2)
    bad("heads that do not divide", ["bad.npy has 3 heads", "the 4 of q.npy"], k=save("bad.npy", odd), v="bad.npy")
    nan = q.copy()
    nan[1, 2, 3, 4] = np.nan
    bad("NaN", ["bad.npy", "[1, 2, 3, 4] is NaN"], q=save("bad.npy", nan))
    bad("complex", ["bad.npy", "'<c8'"], q=save("bad.npy", q.astype(np.complex64)))
    bad("beyond float16", ["Q has", "1e+06", "--dtype bf16"], "--dtype", "f16", q=save("bad.npy", q * 0 + 1e6))
    gradients = ["--dq", "dq.npy", "--dk", "dk.npy", "--dv", "dv.npy"]
    bad("other queries of dO", ["q.npy has 6 queries", "bad.npy has 5"], *gradients, dout=save("bad.npy", dout[:, :5]))
    bad("other rows of dO", ["v.npy has 64 elements", "bad.npy has 32"], *gradients, dout=save("bad.npy", dout[..., :32]))
    with open(os.path.join(WORK, "bad.npy"), "wb") as file:
        file.write(b"not numpy")
    bad("no array", ["bad.npy", "not a NumPy"], v="bad.npy")
    narrow = [f"--{n}={save('narrow.npy', q[..., :30])}" for n in "qkv"]
    refused("rows of 30", ["--head-dim is 30", "multiples of 8"], *narrow, "--out", "none.npy")


def test_bad_output(rng):
    q, k, v, _ = tensors(rng, 1, 6, 8, 1, 1, 64)
    files = [f"--{n}={save(n + '.npy', a)}" for n, a in zip("qkv", (q, k, v))]
    refused("folder missing", ["--out nowhere/o.npy", "does not exist"], *files, "--out", "nowhere/o.npy")
    refused("LSE's folder missing", ["--lse nowhere/l.npy", "does not exist"], *files, "--out", "o.npy", "--lse",
            "nowhere/l.npy")
    refused("output is a folder", [WORK, "not a regular file"], *files, "--out", WORK)
    refused("the same file twice", ["--out and --lse are both o.npy"], *files, "--out", "o.npy", "--lse", "o.npy")
    large = [f"--{n}={save('large.npy', v * 0 + 1e5)}" if n == "v" else f for n, f in zip("qkv", files)]
    refused("beyond float16", ["--out is 99", "float16", "--out-dtype f32"], *large, "--out", "none.npy", "--out-dtype", "f16",
            code=1)
    with open(os.path.join(WORK, "kept.npy"), "wb") as file:
        file.write(b"kept")
    refused("existing output", ["float16"], *large, "--out", "kept.npy", "--out-dtype", "f16", code=1)
    with open(os.path.join(WORK, "kept.npy"), "rb") as file:
        check(file.read() == b"kept", "an existing output was touched by a failed run")


def test_bad_options():
    size = ["--queries", "4", "--head-dim", "64"]
    refused("nothing to do", ["--q, --k, --v and --out, or --queries"])
    refused("out missing", ["--out is missing"], "--q", "q", "--k", "k", "--v", "v")
    refused("v missing", ["--v is missing"], "--q", "q", "--k", "k", "--out", "o")
    refused("dk missing", ["--dk is missing"], "--q", "q", "--k", "k", "--v", "v", "--out", "o", "--dout", "g", "--dq", "a",
            "--dv", "b")
    refused("backward with files", ["--backward", "--dout"], "--q", "q", "--k", "k", "--v", "v", "--out", "o", "--backward")
    refused("files and sizes", ["both files and sizes"], *size, "--q", "q.npy")
    refused("keys alone", ["--queries"], "--keys", "5")
    refused("heads that do not divide", ["--kv-heads is 2", "--heads, 3"], *size, "--heads", "3", "--kv-heads", "2")
    refused("queries zero", ["--queries is \"0\""], "--queries", "0")
    refused("window zero", ["--window is \"0\""], *size, "--window", "0")
    refused("dtype", ["--dtype is \"f32\""], *size, "--dtype", "f32")
    refused("i8", ["--dtype is \"i8\""], *size, "--dtype", "i8")
    refused("out-dtype", ["--out-dtype is \"bf16\""], *size, "--out-dtype", "bf16")
    refused("scale", ["--scale is -1"], *size, "--scale", "-1")
    refused("scale 0", ["--scale is 0"], *size, "--scale", "0")
    refused("scale NaN", ["--scale is \"nan\""], *size, "--scale", "nan")
    refused("waves", ["--waves is 5"], *size, "--waves", "5")
    refused("head dim", ["--head-dim is 100", "--value-dim is 100", "multiples of 8"], "--queries", "4", "--head-dim", "100")
    refused("wide heads", ["--head-dim is 320", "256 and 256"], "--queries", "4", "--head-dim", "320")
    refused("soft cap", ["--soft-cap is 0"], *size, "--soft-cap", "0")
    refused("dropout of all", ["--dropout is 1;", "below 1"], *size, "--dropout", "1")
    refused("a large soft cap", ["--soft-cap is 2000", "1024"], *size, "--soft-cap", "2000")
    refused("wide backward", ["--head-dim is 256", "backward"], "--queries", "4", "--head-dim", "256", "--backward")
    refused("device", ["\"sim:mi999\""], *size, "--device", "sim:mi999")
    refused("positional", ["\"extra\""], *size, "extra")
    refused("unknown option", ["\"--colour\""], *size, "--colour", "red")


def test_generated():
    size = ["--queries", 65, "--keys", 130, "--heads", 4, "--kv-heads", 2, "--batch", 2, "--head-dim", 64, "--backward",
            "--deterministic", "--device", "sim:mi300x"]
    result = run(*size, "--seed", 5)
    for words in ("65 queries, 130 keys", "4 of Q, 2 of K and V", "MI300X (simulated), gfx942", "all elements", "dV: largest",
                  "correct", "instructions in", "workspace"):
        check(words in result.stdout, f"generated: {result.stdout!r} does not say {words!r}")
    check(result.returncode == 0 and result.stderr == "", f"generated: {result.returncode} {result.stderr!r}")
    again, other = run(*size, "--seed", 5, WT_SIM_THREADS="1"), run(*size, "--seed", 6)
    reports = [[line for line in r.stdout.splitlines() if "seconds" not in line] for r in (result, again, other)]
    check(reports[0] == reports[1], "the same seed gives the same report on any number of threads")
    check(reports[0] != reports[2], "another seed gives another report")
    result = run("--queries", 30, "--no-verify", "--progress", "--causal", "--window", 7)
    check(result.returncode == 0 and "nothing" in result.stdout and "causal, a window of 7" in result.stdout,
          f"no verification: {result.stdout} {result.stderr}")
    check("attention on the device" in result.stderr, f"--progress: {result.stderr!r}")


def test_explain():
    result = run("--queries", 300, "--heads", 4, "--kv-heads", 2, "--backward", "--explain")
    for words in ("attention_forward_d128_bf16", "WT_TYPE_BF16 with head_dim 128", "attention_backward_dkvq_4wave_d128_bf16",
                  "work-groups", "workspace", "4 waves, dQ by atomic additions"):
        check(words in result.stdout, f"--explain: {result.stdout!r} {result.stderr!r} does not say {words!r}")
    check(result.returncode == 0 and "host seconds" not in result.stdout, "--explain runs nothing")
    result = run("--queries", 300, "--explain", "--device", "sim:mi300x")
    check(result.returncode == 0 and "backward" not in result.stdout, f"--explain forward: {result.stdout!r}")
    result = run("--batch", 64, "--heads", 64, "--queries", 131072, "--explain")
    check(result.returncode == 0 and "attention_forward" in result.stdout, f"275 GB of Q, which nobody makes: {result.stderr!r}")
    result = run("--queries", 4, "--head-dim", 320, "--explain")
    check(result.returncode == 2 and "kernel      none" in result.stdout and "--head-dim is 320" in result.stderr,
          f"--explain what cannot run: {result.stdout!r} {result.stderr!r}")


def test_help():
    result = run("--help")
    check(result.returncode == 0 and "--kv-heads" in result.stdout, f"help: {result.stdout!r}")


start("attention")
print("seed", SEED)
generator = np.random.default_rng(SEED)
test_results(generator)
test_sinks(generator)
test_scores(generator)
test_forms(generator)
test_kinds(generator)
test_packed(generator)
test_rows_apart(generator)
test_bad_packing(generator)
test_no_keys(generator)
test_bad_files(generator)
test_bad_output(generator)
test_bad_options()
test_generated()
test_explain()
test_help()
finish()
