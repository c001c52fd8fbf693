# SPDX-License-Identifier: MIT
"""Tests the data files of `wavetile`: what conversions are said to lose, headers that are judged before data is read,
and outputs that keep mode, link and old contents. Usage: files_cli.py WAVETILE WORK_FOLDER"""

import os
import resource
import stat
import subprocess

import numpy as np

from arrays import load, save
from cli import WAVETILE, WORK, check, finish, refused, run, start

SEED = int(os.environ.get("WT_TEST_SEED", "8"))


def same_as_float32(name, array, words):
    """The command takes the array, says `words` in one line, and computes with its nearest float32."""
    result = run("activation", "--function", "relu", "--x", save("in.npy", array), "--out", "out.npy")
    lines = result.stderr.strip().splitlines()
    check(result.returncode == 0 and len(lines) == (1 if words else 0), f"{name}: {result.returncode} {result.stderr!r}")
    for word in words:
        check(word in result.stderr, f"{name}: {result.stderr!r} does not say {word!r}")
    if result.returncode == 0:
        check((load("out.npy") == np.maximum(array.astype(np.float32), 0)).all(), f"{name}: the numbers differ")


def test_conversions(rng):
    wide = rng.standard_normal((6, 8))
    relative = np.abs(wide.astype(np.float32).astype(np.float64) - wide) / np.abs(wide)
    same_as_float32("float64", wide, ["--x in.npy: float64 converted to float32", "48 of 48 elements rounded",
                                      f"largest relative error {relative.max():.3g}"])
    same_as_float32("float64 in Fortran order", np.asfortranarray(wide), ["48 of 48 elements rounded"])
    same_as_float32("float64 without loss", np.arange(48.0).reshape(6, 8), ["float64 converted to float32: nothing is lost"])
    same_as_float32("float64 too small", np.array([[1.0, 1e-60]]), ["1 of 2 elements rounded", "1 became 0"])
    same_as_float32("int64", np.arange(48).reshape(6, 8), ["int64 converted to float32: nothing is lost"])
    same_as_float32("large int64", np.array([[2**24 + 1, 2**40, 3 * 2**61 + 1]]), ["2 of 3 elements rounded", "error 5.96e-08"])
    same_as_float32("large int32", np.array([[2**24 + 1, 5]], np.int32), ["int32 converted to float32", "1 of 2"])
    same_as_float32("int32", np.array([[2**24, -5]], np.int32), [])
    same_as_float32("int8", np.array([[127, -128]], np.int8), [])
    same_as_float32("uint8", np.array([[255, 0]], np.uint8), [])
    refused("beyond float32", ["--x in.npy", "[0, 1] is 1e+300", "beyond float32"], "activation", "--x",
            save("in.npy", np.array([[0, 1e300]])), "--out", "out.npy")


def test_fp8_cost(rng):
    """The default FP8 says what it costs, close to what NumPy finds; types that are asked for say so too."""
    a, b = rng.standard_normal((64, 256)).astype(np.float32), rng.standard_normal((48, 256)).astype(np.float32)
    files = ["gemm", "--a", save("a.npy", a), "--b", save("b.npy", b), "--out", "c.npy"]
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    result = run(*files)
    line = [x for x in result.stdout.splitlines() if x.split()[:1] == ["rounding"]]
    check(len(line) == 1 and "--dtype bf16" in line[0], f"FP8's cost: {result.stdout}")
    said = float(line[0].split("about ")[1].split("%")[0]) / 100
    found = np.sqrt(((load("c.npy") - exact) ** 2).mean() / (exact**2).mean())
    check(0.7 < said / found < 1.4, f"FP8 is said to cost {said}, and costs {found}")
    result = run(*files, "--dtype", "bf16")
    check("rounding" in result.stdout and "FP8 is the default" not in result.stdout, f"BF16's cost: {result.stdout}")
    said = float(result.stdout.split("about ")[1].split("%")[0]) / 100
    found = np.sqrt(((load("c.npy") - exact) ** 2).mean() / (exact**2).mean())
    check(0.7 < said / found < 1.4, f"BF16 is said to cost {said}, and costs {found}")


def limited():
    """Is too little time to read any of the large files."""
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


def test_header_first():
    """What the header or the size decides is decided before data is read: in a second, whatever the size."""
    good = save("good.npy", np.ones((6, 8), np.float32))
    with open(os.path.join(WORK, good), "rb") as file:
        header = file.read(128)

    def quickly(name, words, path):
        result = subprocess.run([WAVETILE, "softmax", "--x", path, "--out", "y.npy"], cwd=WORK, capture_output=True, text=True,
                                timeout=60, preexec_fn=limited)
        check(result.returncode == 2 and len(result.stderr.splitlines()) == 1, f"{name}: {result.returncode} {result.stderr!r}")
        for word in words:
            check(word in result.stderr, f"{name}: {result.stderr!r} does not say {word!r}")

    def sparse(name, first, size):
        with open(os.path.join(WORK, name), "wb") as file:
            file.write(first)
            file.truncate(size)

    quickly("an endless device", ["/dev/zero", "not a NumPy"], "/dev/zero")
    sparse("sparse.npy", b"", 10**11)
    quickly("a sparse file", ["sparse.npy", "not a NumPy"], "sparse.npy")
    sparse("long.npy", header, 10**11)
    quickly("a long file", ["192 bytes", "99999999872", "too long"], "long.npy")
    rows = header.replace(b"(6, 8), }", b"(2147483647, 1024), }").replace(b" \n", b"\n")
    huge = rows[:-1] + b" " * (128 - len(rows)) + b"\n"
    sparse("huge.npy", huge, 128 + 2147483647 * 4096)
    quickly("more than the machine has", ["huge.npy", "out of memory", "2147483647 x 1024"], "huge.npy")
    for name in ("sparse.npy", "long.npy", "huge.npy"):
        os.remove(os.path.join(WORK, name))


def test_pipes():
    """A pipe has no size; its data is judged as it comes."""
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    save("x.npy", array)
    words = f"'{WAVETILE}' activation --function relu --x <(cat x.npy) --out y.npy"
    result = subprocess.run(["bash", "-c", words], cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 0 and (load("y.npy") == array).all(), f"a pipe: {result.stderr}")
    for name, command, word in (("short", "head -c 170 x.npy", "42 (truncated)"), ("long", "cat x.npy x.npy", "too long")):
        words = f"'{WAVETILE}' activation --x <({command}) --out none.npy"
        result = subprocess.run(["bash", "-c", words], cwd=WORK, capture_output=True, text=True)
        check(result.returncode == 2 and word in result.stderr, f"a {name} pipe: {result.stderr}")


def test_outputs():
    command = ["activation", "--function", "relu", "--x", save("x.npy", np.ones((3, 4), np.float32)), "--out"]
    path = os.path.join(WORK, "y.npy")
    for mode in (0o600, 0o640, 0o755):
        with open(path, "wb") as file:
            file.write(b"before")
        os.chmod(path, mode)
        result = run(*command, "y.npy")
        check(result.returncode == 0 and stat.S_IMODE(os.stat(path).st_mode) == mode, f"mode {mode:o}: {result.stderr}")
    check((load("y.npy") == 1).all(), "the file was not replaced")
    os.makedirs(os.path.join(WORK, "there"))
    for name, target in (("absolute", os.path.join(WORK, "there", "t.npy")), ("relative", "there/t.npy")):
        link = os.path.join(WORK, name + ".npy")
        os.symlink(target, link)
        for round_ in ("a target that does not exist", "a target"):
            result = run(*command, name + ".npy")
            check(result.returncode == 0 and os.path.islink(link), f"{name} link to {round_}: {result.stderr}")
            check(os.listdir(os.path.join(WORK, "there")) == ["t.npy"], f"{name} link to {round_}")
        check((load("there/t.npy") == 1).all(), f"{name} link: the target was not written")
        os.remove(link)
    os.rmdir(os.path.join(WORK, "there"))
    os.symlink("circle.npy", os.path.join(WORK, "circle.npy"))
    refused("a circle of links", ["circle.npy", "symbolic links"], *command, "circle.npy")
    os.remove(os.path.join(WORK, "circle.npy"))
    refused("a device", ["/dev/full", "not a regular file"], *command, "/dev/full")
    with open(os.path.join(WORK, "kept.npy"), "wb") as file:
        file.write(b"kept")
    large = save("large.npy", np.ones((64, 64), np.float32))
    before = sorted(os.listdir(WORK))
    words = f"ulimit -f 8; '{WAVETILE}' activation --x {large} --out kept.npy"
    result = subprocess.run(["bash", "-c", words], cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 1 and result.stdout == "" and "kept.npy: cannot be written: File too large" in result.stderr,
          f"a limit on file sizes: {result}")
    with open(os.path.join(WORK, "kept.npy"), "rb") as file:
        check(file.read() == b"kept" and sorted(os.listdir(WORK)) == before, "a limit on file sizes left something")
    words = f"'{WAVETILE}' softmax --rows 2 --columns 3 --csv > /dev/full"
    result = subprocess.run(["bash", "-c", words], cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 1 and "standard output" in result.stderr, f"a full device as output: {result}")


start()
print("seed", SEED)
rng = np.random.default_rng(SEED)
test_conversions(rng)
test_fp8_cost(rng)
test_header_first()
test_pipes()
test_outputs()
finish()
