# SPDX-License-Identifier: MIT
"""Tests `wavetile gemm` on .npy files: results against NumPy, and every mistake a user can make: exit code, one sentence that names
it, no file left behind. Usage: gemm_cli.py WAVETILE WORK_FOLDER [LIBAMDHIP64]"""

import os
import sys

import numpy as np

from arrays import FORMATS, fp8_codes, fp8_values, save
from cli import WORK, check, finish, refused, run, start

SIM_LIBRARY = os.path.abspath(sys.argv[3])
SEED = int(os.environ.get("WT_TEST_SEED", "3"))


def quantise(array, dtype, device):
    """Returns the array after per-tensor scaling into FP8 and back, and the scale."""
    values = fp8_values(dtype, device)
    single = array.astype(np.float32)
    amax = np.abs(single).max()
    scale = np.float32(amax / np.float32(values[-1])) if amax > 0 else np.float32(1)
    return np.copysign(values[fp8_codes(single / scale, values)], single), float(scale)


def expected(a, b, dtype, device, alpha=1.0):
    qa, scale_a = quantise(a, dtype, device)
    qb, scale_b = quantise(b, dtype, device)
    factor = alpha * scale_a * scale_b
    return factor * (qa @ qb.T), abs(factor) * (np.abs(qa) @ np.abs(qb).T)


def compare(name, out, reference, magnitude, roundoff, k):
    path = os.path.join(WORK, out)
    check(os.path.exists(path), f"{name}: {out} is missing")
    if not os.path.exists(path):
        return
    got = np.load(path)
    check(got.shape == reference.shape, f"{name}: shape {got.shape}, expected {reference.shape}")
    bound = roundoff * np.abs(reference) + (k + 8) * 2.0**-24 * magnitude + 1e-37
    error = np.abs(got.astype(np.float64) - reference)
    within = error <= bound
    check(within.all(), f"{name}: {np.count_nonzero(~within)} elements out of bound, worst error {np.nanmax(error)}")
    os.remove(path)


def test_results(rng):
    for (dtype, device) in FORMATS:
        m, n, k = rng.integers(1, 90, 3)
        a = rng.standard_normal((m, k)).astype(np.float32) * np.float32(10.0) ** rng.integers(-6, 6)
        b = rng.standard_normal((n, k)).astype(np.float32)
        reference, magnitude = expected(a, b, dtype, device)
        files = ["--a", save("a.npy", a), "--b", save("b.npy", b), "--out", "c.npy", "--dtype", dtype, "--device", device]
        result = run("gemm", *files, "--verify")
        check(result.returncode == 0, f"{dtype} {device}: {result.stderr}")
        check("correct" in result.stdout and "scale" in result.stdout, f"{dtype} {device}: {result.stdout}")
        compare(f"{dtype} {device} {m}x{n}x{k}", "c.npy", reference, magnitude, 2.0**-24, k)


def test_forms(rng):
    dtype, device, k = "f8e4m3", "sim:mi355x", 70
    a = rng.standard_normal((40, k)).astype(np.float32)
    b = rng.standard_normal((50, k)).astype(np.float32)
    reference, magnitude = expected(a, b, dtype, device)

    def form(name, stored_a, stored_b, *options, roundoff=2.0**-24, scale=1.0, plus=0.0):
        result = run("gemm", "--a", save("a.npy", stored_a), "--b", save("b.npy", stored_b), "--out", "c.npy", *options)
        check(result.returncode == 0, f"{name}: {result.stderr}")
        check("nothing" in result.stdout, f"{name}: files are not verified unless asked")
        compare(name, "c.npy", scale * reference + plus, abs(scale) * magnitude + np.abs(plus), roundoff, k)

    form("plain", a, b)
    form("fortran order", np.asfortranarray(a), np.asfortranarray(b))
    form("trans", np.ascontiguousarray(a.T), np.ascontiguousarray(b.T), "--trans-a", "--trans-b")
    form("alpha", a, b, "--alpha", "-2.5", scale=-2.5)
    form("f16 out", a, b, "--out-dtype", "f16", roundoff=2.0**-11)
    form("bf16 out", a, b, "--out-dtype", "bf16", roundoff=2.0**-8)
    c0 = rng.standard_normal((40, 50)).astype(np.float32)
    save("c0.npy", c0)
    form("beta", a, b, "--beta", "0.5", "--c", "c0.npy", plus=0.5 * c0.astype(np.float64))
    for kernel in ("gemm_01_naive", "gemm_02_lds_tiled", "gemm_03_matrix_core", "gemm_04_vector_loads",
                   "gemm_05_direct_to_lds"):
        form(kernel, a, b, "--kernel", kernel)
    half_a, half_b = a.astype(np.float16), b.astype(np.float16)
    reference, magnitude = expected(half_a, half_b, dtype, device)
    form("float16 in", half_a, half_b)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(os.path.join(WORK, "a.npy"), "wb") as file:
            np.lib.format.write_array(file, half_a, version=version)
        result = run("gemm", "--a", "a.npy", "--b", save("b.npy", half_b), "--out", "c.npy")
        check(result.returncode == 0, f".npy version {version}: {result.stderr}")
        compare(f".npy version {version}", "c.npy", reference, magnitude, 2.0**-24, k)
    zeros = np.zeros((3, 4), np.float32)
    reference = magnitude = np.zeros((3, 3))
    form("all zeros", zeros, zeros)


def test_bad_files(rng):
    good = save("good.npy", rng.standard_normal((6, 8)).astype(np.float32))

    def bad_a(name, words, content):
        path = os.path.join(WORK, "bad.npy")
        if isinstance(content, bytes):
            with open(path, "wb") as file:
                file.write(content)
        else:
            np.save(path, content, allow_pickle=True)
        refused(name, ["bad.npy", *words], "gemm", "--a", "bad.npy", "--b", good, "--out", "none.npy")

    with open(os.path.join(WORK, good), "rb") as file:
        valid = file.read()
    nan, infinite = np.ones((6, 8), np.float32), np.ones((6, 8), np.float16)
    nan[2, 3], infinite[5, 7] = np.nan, -np.inf
    bad_a("rank 1", ["1 dimension;", "2 to 3"], np.ones(8, np.float32))
    bad_a("rank 4", ["4 dimensions", "2 to 3"], np.ones((1, 2, 3, 4), np.float32))
    bad_a("rank 0", ["0 dimensions"], np.float32(1))
    bad_a("empty", ["0 x 8"], np.ones((0, 8), np.float32))
    bad_a("complex", ["'<c8'", "float32, float16, float64, int8, int32 or int64"], np.ones((6, 8), np.complex64))
    bad_a("float64 beyond float32", ["[1, 2] is 1e+39", "beyond float32"], np.ones((6, 8)) + 1e39 * (np.arange(48) == 10).reshape(6, 8))
    bad_a("big-endian", ["'>f4' is big-endian", "astype('<f4')"], np.ones((6, 8), ">f4"))
    bad_a("structured", ["element type"], np.ones((6, 8), [("x", "<f4")]))
    bad_a("objects", ["'|O'"], np.full((6, 8), None))
    bad_a("NaN", ["[2, 3] is NaN"], nan)
    bad_a("infinity", ["[5, 7] is infinite"], infinite)
    bad_a("K differs", ["6 x 9", "6 x 8", "K is 9 in A but 8 in B"], np.ones((6, 9), np.float32))
    bad_a("empty file", ["not a NumPy .npy file"], b"")
    bad_a("text file", ["not a NumPy .npy file"], b"1.0 2.0 3.0 4.0\n")
    bad_a("truncated data", ["truncated", "192 bytes", "191"], valid[:-1])
    bad_a("too long", ["too long", "193"], valid + b"x")
    bad_a("truncated header", ["truncated within its header"], valid[:40])
    bad_a("version 4", ["version 4.0"], valid[:6] + b"\x04" + valid[7:])
    bad_a("malformed header", ["header is malformed"], valid.replace(b"'shape'", b"'shope'"))
    os.remove(os.path.join(WORK, "bad.npy"))
    refused("missing file", ["absent.npy", "No such file"], "gemm", "--a", "absent.npy", "--b", good, "--out", "none.npy")
    refused("folder as input", [WORK, "directory"], "gemm", "--a", WORK, "--b", good, "--out", "none.npy")
    refused("C of another shape", ["6 x 8", "6 x 6"], "gemm", "--a", good, "--b", good, "--c", good, "--beta", "1",
            "--out", "none.npy")


def test_bad_output(rng):
    good = save("good.npy", rng.standard_normal((6, 8)).astype(np.float32))
    both = ["gemm", "--a", good, "--b", good, "--out"]
    refused("folder missing", ["nowhere/c.npy", "does not exist"], *both, "nowhere/c.npy")
    refused("a file as folder", ["good.npy/c.npy"], *both, "good.npy/c.npy")
    refused("output is a folder", [WORK, "not a regular file"], *both, WORK)
    refused("output is a device", ["/dev/full", "not a regular file"], *both, "/dev/full")
    large = save("large.npy", np.full((6, 8), 3e3, np.float32))
    refused("beyond float16", ["C[0][0]", "float16", "--out-dtype f32"], "gemm", "--a", large, "--b", large, "--out",
            "none.npy", "--out-dtype", "f16", code=1)
    # An existing file stays as it was when the run fails.
    with open(os.path.join(WORK, "kept.npy"), "wb") as file:
        file.write(b"kept")
    refused("existing output", ["float16"], "gemm", "--a", large, "--b", large, "--out", "kept.npy", "--out-dtype", "f16",
            code=1)
    with open(os.path.join(WORK, "kept.npy"), "rb") as file:
        check(file.read() == b"kept", "an existing output was touched by a failed run")
    huge = save("huge.npy", np.full((6, 8), 3e38, np.float32))
    refused("scales overflow", ["alpha * scale_a * scale_b is inf"], "gemm", "--a", huge, "--b", huge, "--out", "none.npy")


def test_bad_options():
    size = ["gemm", "--m", "4", "--n", "4", "--k", "4"]
    refused("no subcommand known", ["\"gem\"", "--help"], "gem")
    refused("nothing to do", ["--a, --b and --out"], "gemm")
    refused("out missing", ["--out is missing"], "gemm", "--a", "a.npy", "--b", "b.npy")
    refused("b missing", ["--b is missing"], "gemm", "--a", "a.npy", "--out", "c.npy")
    refused("files and sizes", ["both"], *size, "--a", "a.npy")
    large = ["gemm", "--m", 8192, "--n", 8192, "--k", 8192]
    before = os.times().children_user
    refused("types that no kernel multiplies", ["--type-b is bf16, but with --type-a f8e4m3"], *large, "--dtype", "f8e4m3", "--type-b", "bf16")
    refused("a kernel of other types", ["gemm_4wave_persistent_256x256"], *large, "--kernel", "gemm_4wave_persistent_256x256", "--dtype", "f8e5m2")
    check(os.times().children_user - before < 5, f"a refusal took {os.times().children_user - before} s, as if the matrices had been made")
    refused("k missing", ["--k is missing; pass --m, --n and --k"], "gemm", "--m", "4", "--n", "4")
    refused("m zero", ["--m is \"0\""], "gemm", "--m", "0", "--n", "4", "--k", "4")
    refused("m negative", ["--m is \"-4\""], "gemm", "--m", "-4", "--n", "4", "--k", "4")
    refused("m text", ["--m is \"4x\""], "gemm", "--m=4x", "--n", "4", "--k", "4")
    refused("m huge", ["--m is \"4294967296\""], "gemm", "--m", "4294967296", "--n", "1", "--k", "1")
    refused("more than the machine has", ["out of host memory", "pass a smaller --m or --k"], "gemm", "--m", 2**31 - 1, "--n", 4, "--k", 2**31 - 1)
    refused("unknown option", ["\"--colour\""], *size, "--colour", "red")
    refused("value missing", ["--kernel needs a value"], *size, "--kernel")
    refused("flag with value", ["--verify takes no value"], *size, "--verify=yes")
    refused("positional", ["\"extra\""], *size, "extra")
    refused("dtype", ["--dtype is \"f8\""], *size, "--dtype", "f8")
    refused("out-dtype", ["--out-dtype is \"f64\""], *size, "--out-dtype", "f64")
    refused("type-a", ["--type-a is \"f32\"", "bf16"], *size, "--type-a", "f32")
    refused("type-b", ["--type-b is \"i32\""], *size, "--type-b", "i32")
    refused("type-c", ["--type-c is \"f8e4m3\""], *size, "--type-c", "f8e4m3")
    refused("types that do not go together", ["--type-b is f16, but with --type-a bf16"], *size, "--type-a", "bf16", "--type-b", "f16")
    refused("an activation of i32", ["--activation is set, but --type-c is i32", "leave it out"], *size, "--dtype", "i8", "--type-c", "i32",
            "--activation", "gelu")
    refused("i32 from floats", ["--type-c is i32"], *size, "--type-c", "i32")
    refused("activation", ["--activation is \"tanh\""], *size, "--activation", "tanh")
    refused("split-k", ["--split-k is \"0\""], *size, "--split-k", "0")
    refused("f16 without file", ["--out-dtype is f16"], *size, "--out-dtype", "f16")
    refused("kernel", ["\"fast\"", "lists the kernels"], *size, "--kernel", "fast")
    refused("kernel that needs K contiguous", ["gemm_05_direct_to_lds", "K contiguous"], *size, "--trans-a", "--kernel",
            "gemm_05_direct_to_lds")
    refused("alpha beyond float32", ["--alpha is inf"], *size, "--alpha", "1e39")
    refused("split-k beyond", ["--split-k is 2000; leave it out to have it chosen"], *size, "--split-k", "2000")
    refused("alpha", ["--alpha is \"nan\""], *size, "--alpha", "nan")
    refused("beta without C", ["--beta is 2", "--c"], "gemm", "--a", "a", "--b", "b", "--out", "c.npy", "--beta", "2")
    refused("C without beta", ["--beta is 0"], "gemm", "--a", "a", "--b", "b", "--out", "c.npy", "--c", "c")
    refused("device name", ["\"sim:mi999\"", "sim:mi355x"], *size, "--device", "sim:mi999")
    refused("device number", ["\"hip:x\""], *size, "--device", "hip:x")
    refused("device not present", ["sim:mi355x", "WT_SIM_DEVICES"], *size, WT_SIM_DEVICES="mi300x")


def test_hip_device():
    size = ["gemm", "--m", "4", "--n", "4", "--k", "4", "--device", "hip:0"]
    refused("no ROCm", [WORK + "/rocm", "WT_ROCM_PATH"], *size, WT_ROCM_PATH=WORK + "/rocm")
    os.makedirs(os.path.join(WORK, "rocm", "lib"))
    os.symlink(SIM_LIBRARY, os.path.join(WORK, "rocm", "lib", "libamdhip64.so"))
    # The runtime is preloaded; AddressSanitizer, when built in, must not insist on being first.
    refused("a simulated runtime in ROCm's place", ["simulated runtime"], *size, WT_ROCM_PATH=WORK + "/rocm",
            ASAN_OPTIONS="verify_asan_link_order=0")


def test_generated():
    result = run("gemm", "--m", 65, "--n", 130, "--k", 257, "--seed", 5, "--device", "sim:mi300x")
    for words in ("M 65, N 130, K 257", "MI300X (simulated), gfx942", "all 8450 elements", "4096 elements", "correct",
                  "instructions in"):
        check(words in result.stdout, f"generated: {result.stdout!r} does not say {words!r}")
    check(result.returncode == 0 and result.stderr == "", f"generated: {result.returncode} {result.stderr!r}")
    again = run("gemm", "--m", 65, "--n", 130, "--k", 257, "--seed", 5, "--device", "sim:mi300x", WT_SIM_THREADS="1")
    other = run("gemm", "--m", 65, "--n", 130, "--k", 257, "--seed", 6, "--device", "sim:mi300x")
    without_time = [[line for line in r.stdout.splitlines() if "seconds" not in line] for r in (result, again, other)]
    check(without_time[0] == without_time[1], "the same seed gives the same report on any number of threads")
    check(without_time[0] != without_time[2], "another seed gives another report")
    result = run("gemm", "--m", 65, "--n", 33, "--k", 70, "--beta", "1.5", "--alpha", "-1", "--trans-a", "--trans-b",
                 "--out-dtype", "f32", "--dtype", "f8e5m2", "--progress")
    check(result.returncode == 0 and "correct" in result.stdout, f"all options: {result.stdout} {result.stderr}")
    check("verifying" in result.stderr, f"--progress: {result.stderr!r}")


def test_types(rng):
    """Tests every type, on K long enough for the library's kernels, verified by the command and against NumPy."""
    m, n, k = 40, 50, 512
    a, b = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((n, k)).astype(np.float32)
    files = ["--a", save("a.npy", a), "--b", save("b.npy", b), "--out", "c.npy", "--verify"]
    for device in ("sim:mi355x", "sim:mi300x"):
        result = run("gemm", *files, "--type-a", "f8e4m3", "--type-b", "f8e5m2", "--device", device)
        check(result.returncode == 0 and "correct" in result.stdout and " and E5M2" in result.stdout,
              f"mixed FP8 on {device}: {result.stdout} {result.stderr}")
        qa, scale_a = quantise(a, "f8e4m3", device)
        qb, scale_b = quantise(b, "f8e5m2", device)
        compare(f"mixed FP8 on {device}", "c.npy", scale_a * scale_b * (qa @ qb.T),
                scale_a * scale_b * (np.abs(qa) @ np.abs(qb).T), 2.0**-24, k)
        half_a, half_b = a.astype(np.float16).astype(np.float64), b.astype(np.float16).astype(np.float64)
        result = run("gemm", *files, "--dtype", "f16", "--type-c", "f16", "--device", device)
        check(result.returncode == 0 and "F16 out" in result.stdout, f"f16 on {device}: {result.stdout} {result.stderr}")
        compare(f"f16 on {device}", "c.npy", half_a @ half_b.T, np.abs(half_a) @ np.abs(half_b).T, 2.0**-11, k)
        result = run("gemm", *files, "--dtype", "bf16", "--type-c", "bf16", "--device", device)
        check(result.returncode == 0 and "correct" in result.stdout, f"bf16 on {device}: {result.stdout} {result.stderr}")
        result = run("gemm", *files, "--dtype", "i8", "--device", device)
        check(result.returncode == 0 and "i32 sums, F32 out" in result.stdout, f"i8 on {device}: {result.stdout} {result.stderr}")
        whole_a = rng.integers(-128, 128, (m, k)).astype(np.int8)
        whole_b = rng.integers(-128, 128, (n, k)).astype(np.int8)
        before = rng.integers(-1000, 1000, (m, n)).astype(np.int32)
        result = run("gemm", "--a", save("ia.npy", whole_a), "--b", save("ib.npy", whole_b), "--c", save("ic.npy", before),
                     "--out", "c.npy", "--dtype", "i8", "--type-c", "i32", "--alpha", -3, "--beta", 2, "--verify",
                     "--device", device)
        check(result.returncode == 0 and "modulo 2^32" in result.stdout, f"i32 on {device}: {result.stdout} {result.stderr}")
        got = np.load(os.path.join(WORK, "c.npy"))
        want = -3 * (whole_a.astype(np.int64) @ whole_b.astype(np.int64).T) + 2 * before.astype(np.int64)
        check(got.dtype == np.int32 and (got == want).all(), f"i32 on {device} differs from NumPy")


def test_epilogue(rng):
    m, n, k = 33, 70, 768
    a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((n, k)).astype(np.float16)
    rows, columns = rng.standard_normal(m).astype(np.float32), rng.standard_normal(n).astype(np.float32)
    bias = rng.standard_normal(n).astype(np.float32)
    product = a.astype(np.float64) @ b.astype(np.float64).T * rows[:, None].astype(np.float64) * columns
    x = product + bias
    tanh = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    for name, reference in (("none", x), ("relu", np.maximum(x, 0)), ("gelu", tanh), ("silu", x / (1 + np.exp(-x)))):
        for split in (1, 3):
            result = run("gemm", "--a", save("a.npy", a), "--b", save("b.npy", b), "--out", "c.npy", "--dtype", "f16",
                         "--row-scale", save("rows.npy", rows), "--column-scale", save("columns.npy", columns),
                         "--bias", save("bias.npy", bias), "--activation", name, "--split-k", split, "--verify")
            check(result.returncode == 0 and "correct" in result.stdout, f"{name}: {result.stdout} {result.stderr}")
            check(("workspace" in result.stdout) == (split == 3), f"split {split}: {result.stdout}")
            got = np.load(os.path.join(WORK, "c.npy"))
            check(np.allclose(got, reference, rtol=1e-4, atol=1e-3), f"{name}: differs by {np.abs(got - reference).max()}")
    files = ["gemm", "--a", "a.npy", "--b", "b.npy", "--out", "none.npy", "--dtype", "f16"]
    refused("a short bias", ["--bias", "33 elements", "pass 70"], *files, "--bias", "rows.npy")
    refused("a matrix as bias", ["a.npy", "vector (1 dimension)"], *files, "--bias", "a.npy")
    refused("i8 from fractions", ["A[0][0]", "whole number"], "gemm", "--a", "a.npy", "--b", "b.npy", "--out", "none.npy",
            "--dtype", "i8", "--type-c", "i32")
    large = save("large16.npy", np.full((6, 512), 1e6, np.float32))
    refused("beyond f16", ["A[0][0] is 1e+06", "bf16"], "gemm", "--a", large, "--b", large, "--out", "none.npy", "--dtype",
            "f16")
    whole = save("whole.npy", np.ones((6, 512), np.int8))
    beyond = save("beyond.npy", np.full((6, 6), 2**24 + 1, np.int32))
    result = run("gemm", "--a", whole, "--b", whole, "--c", beyond, "--beta", "1", "--dtype", "i8", "--type-c", "i32", "--out",
                 "none.npy")
    check(result.returncode == 2 and "beyond.npy" in result.stderr and "2^24" in result.stderr
          and not os.path.exists(os.path.join(WORK, "none.npy")), f"C that float32 does not hold: {result.stderr!r}")


def test_explain():
    size = ["gemm", "--m", 64, "--n", 64, "--k", 100000, "--explain"]
    result = run(*size)
    check(result.returncode == 0 and "kernel      gemm_" in result.stdout and "parts of" in result.stdout,
          f"--explain: {result.stdout!r} {result.stderr!r}")
    check("host seconds" not in result.stdout, "--explain runs nothing")
    result = run(*size, "--workspace", 0)
    check("split K     none" in result.stdout and "with a workspace of" in result.stdout, f"no workspace: {result.stdout}")
    result = run(*size, "--kernel", "gemm_05_direct_to_lds", "--split-k", 4)
    check(result.returncode == 2 and "--split-k is 4" in result.stderr, f"refused: {result.stderr}")
    result = run("gemm", "--m", 65536, "--n", 65536, "--k", 65536, "--explain")
    check(result.returncode == 0 and "work-groups" in result.stdout, f"17 GB of A, which nobody makes: {result.stderr!r}")


def test_batches(rng):
    """Tests batches from files and of random matrices, with rows and matrices apart; all verified, and against NumPy."""
    a, b = rng.standard_normal((3, 20, 70)).astype(np.float32), rng.standard_normal((3, 30, 70)).astype(np.float32)
    half_a, half_b = a.astype(np.float16).astype(np.float64), b.astype(np.float16).astype(np.float64)
    for name, stored_a, stored_b, options in (
            ("packed", a, b, []), ("one B", a, b[1], []), ("one A", a[2], b, []), ("both transposed", a.swapaxes(1, 2), b.swapaxes(1, 2), ["--trans-a", "--trans-b"]),
            ("apart", a, b, ["--lda", 77, "--stride-a", 1600, "--ldb", 80, "--ldc", 33, "--stride-c", 700])):
        result = run("gemm", "--a", save("a.npy", stored_a), "--b", save("b.npy", stored_b), "--out", "c.npy", "--dtype", "f16",
                     "--verify", *options)
        check(result.returncode == 0 and "correct" in result.stdout, f"batch {name}: {result.stdout} {result.stderr}")
        x = half_a if stored_a.ndim == 3 else half_a[2][None]
        y = half_b if stored_b.ndim == 3 else half_b[1][None]
        compare(f"batch {name}", "c.npy", x @ y.swapaxes(1, 2), np.abs(x) @ np.abs(y).swapaxes(1, 2), 2.0**-24, 70)
    before = rng.standard_normal((3, 20, 30)).astype(np.float32)
    result = run("gemm", "--a", save("a.npy", a), "--b", save("b.npy", b), "--c", save("c0.npy", before), "--beta", 2, "--out",
                 "c.npy", "--dtype", "f16", "--ldc", 31, "--verify")
    check(result.returncode == 0, f"batch with beta: {result.stderr}")
    compare("batch with beta", "c.npy", half_a @ half_b.swapaxes(1, 2) + 2 * before.astype(np.float64),
            np.abs(half_a) @ np.abs(half_b).swapaxes(1, 2) + 2 * np.abs(before), 2.0**-24, 72)
    result = run("gemm", "--m", 40, "--n", 50, "--k", 64, "--batch", 3, "--stride-b", 0, "--lda", 80, "--beta", "0.5")
    check(result.returncode == 0 and "all 6000 elements" in result.stdout and "correct" in result.stdout,
          f"random batch: {result.stdout} {result.stderr}")
    files = ["gemm", "--a", "a.npy", "--b", "b.npy", "--out", "none.npy"]
    refused("a batch of another size", ["a.npy is 3 x 20 x 70", "two.npy is 2 x 30 x 70"], *files, "--b", save("two.npy", b[:2]))
    refused("C without a batch", ["one.npy is 20 x 30", "product is 3 x 20 x 30"], *files, "--c", save("one.npy", before[0]),
            "--beta", "1")
    refused("batch and files", ["both files"], *files, "--batch", "3")
    size = ["gemm", "--m", "4", "--n", "4", "--k", "4"]
    refused("short rows", ["--lda is 3"], *size, "--lda", "3")
    refused("short matrices", ["--stride-a is 15", "16 elements", "or 0"], *size, "--batch", "2", "--stride-a", "15")
    refused("C on itself", ["--stride-c is 0", "16 elements"], *size, "--batch", "2", "--stride-c", "0")
    refused("a matrix for all of several", ["--stride-a is 0", "3 matrices"], *files, "--stride-a", "0")


def test_help():
    for arguments, words in ((["--help"], "gemm"), (["gemm", "--help"], "--out-dtype"), (["--version"], "wavetile 0.")):
        result = run(*arguments)
        check(result.returncode == 0 and words in result.stdout, f"{arguments}: {result.stdout!r}")
    check(run().returncode == 2, "no argument at all")


start()
print("seed", SEED)
rng = np.random.default_rng(SEED)
test_results(rng)
test_forms(rng)
test_bad_files(rng)
test_bad_output(rng)
test_bad_options()
test_hip_device()
test_generated()
test_types(rng)
test_epilogue(rng)
test_explain()
test_batches(rng)
test_help()
finish()
