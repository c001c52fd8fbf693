# SPDX-License-Identifier: MIT
# The command with the rotary embedding and one GEMM: left_out_cli.py WAVETILE
import subprocess
import sys

tool = sys.argv[1]


def run(*words):
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def works(*words):
    code, out, err = run(*words)
    assert code == 0, (words, code, out, err)
    return out


def is_left_out(kernel, family, *words):
    code, _, err = run(*words)
    sentence = (f"kernel {kernel} of the family {family} was left out when this library was built; "
                "configure it with -DWT_KERNELS=all, or run ./dev build in a clone")
    assert code != 0 and err.count("\n") == 1 and sentence in err, (words, code, err)


for chip in "sim:mi355x", "sim:mi300x":
    works("rotary", "--rows", "4", "--device", chip)
    works("gemm", "--m", "64", "--n", "64", "--k", "512", "--device", chip, "--verify")
    rows = ("--rows", "4", "--columns", "64", "--device", chip)
    is_left_out("norm_forward", "norm", "norm", *rows)
    is_left_out("softmax_forward", "softmax", "softmax", *rows)
    is_left_out("activation", "activation", "activation", *rows)
    is_left_out("attention_forward_d64", "attention", "attention", "--queries", "64", "--head-dim", "64", "--device", chip)
    is_left_out("experts_sort", "experts", "experts", "--tokens", "4", "--experts", "8", "--hidden", "64", "--inner", "64", "--device", chip)
    is_left_out("gemm_8wave_256x256", "gemm", "gemm", "--m", "64", "--n", "64", "--k", "512", "--kernel",
                "gemm_8wave_256x256", "--device", chip)

assert "gemm_4wave_64x64" in works("isa", "gemm_4wave_64x64", "--target", "gfx950")
is_left_out("norm_forward", "norm", "isa", "norm_forward")
listed = works("isa", "--list")
assert "rotary                                   gfx942 gfx950\n" in listed, listed
assert "gemm_reduce                              gfx942, left out when this library was built\n" in listed, listed
