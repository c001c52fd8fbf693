# SPDX-License-Identifier: MIT
"""Tests what all subcommands of `wavetile` have in common: -h and --help, wrapped to the terminal; a standard output
that cannot be written; and one sentence with the nearest name after a typing error. Usage: core_cli.py WAVETILE
WORK_FOLDER"""

import os
import re
import subprocess

from cli import WAVETILE, WORK, check, finish, refused, run, run_on_terminal, start


def subcommands():
    names = re.findall(r"^  ([a-z-]+) ", run("--help").stdout, re.M)
    check(len(names) > 5 and "prof" in names and "gemm" in names, f"subcommands {names}")
    return names


def check_width(name, text, columns):
    """A line may be longer only where it is one word."""
    for line in text.splitlines():
        check(len(line) <= columns or " " not in line.strip(), f"{name}: {len(line)} columns instead of {columns}: {line!r}")


def words(text):
    return text.split()


def test_help(names):
    for name in [None, *names]:
        command = [name] if name else []
        wide = run(*command, "--help", COLUMNS="100000")
        check(wide.returncode == 0 and "usage: wavetile" in wide.stdout and wide.stderr == "", f"{name} --help: {wide}")
        check(run(*command, "-h", COLUMNS="100000").stdout == wide.stdout, f"{name} -h is not {name} --help")
        check(run("help", *command, COLUMNS="100000").stdout == wide.stdout, f"help {name} is not {name} --help")
        for columns in (50, 80, 132):
            narrow = run(*command, "--help", COLUMNS=str(columns))
            check(words(narrow.stdout) == words(wide.stdout), f"{name}: other words in {columns} columns")
            check_width(name, narrow.stdout, columns)
        for wrong in ("0", "-5", "x", ""):
            check_width(name, run(*command, "--help", COLUMNS=wrong).stdout, 100)


def test_version():
    check(run("--version").stdout == run("version").stdout != "", "version is not --version")
    refused("help of no subcommand", ['unknown subcommand "gem"', "did you mean gemm"], "help", "gem")


def test_help_on_a_terminal():
    """The terminal says how wide it is."""
    for columns in (64, 120):
        lines = run_on_terminal("grid", "--help", columns=columns).splitlines()
        check_width("grid", "\n".join(lines), columns)
        check(max(map(len, lines)) > columns - 20, f"{columns} columns are not used")


def test_output_that_cannot_be_written(names):
    """Tests a full disk and a closed descriptor: exit code 1 and one sentence, for help and for results."""
    calls = [[name, "--help"] for name in names] + [["--help"], ["--version"], ["isa", "--list"], ["grid", "--m", "512", "--n", "512"],
                                                    ["layout", "--list"], ["softmax", "--rows", "2", "--columns", "2", "--csv"]]
    for call in calls:
        for redirection, words_of_it in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            result = subprocess.run(["sh", "-c", f'"$0" "$@" {redirection}', WAVETILE, *call], cwd=WORK, capture_output=True, text=True)
            check(result.returncode == 1, f"{call} {redirection}: exit code {result.returncode}")
            lines = result.stderr.splitlines()
            check(len(lines) == 1 and lines[0].startswith("wavetile: standard output cannot be written: " + words_of_it), f"{call} {redirection}: {lines}")
    result = subprocess.run(["sh", "-c", '"$0" grid >/dev/full', WAVETILE], capture_output=True, text=True)
    check(result.returncode == 2 and "the size of C is missing" in result.stderr, f"a mistake keeps its exit code: {result}")


def test_closed_descriptors():
    """A file that is written does not become standard output."""
    path = os.path.join(WORK, "closed.svg")
    result = subprocess.run(["sh", "-c", f'"$0" grid --m 512 --n 512 --out {path} >&- <&-', WAVETILE], cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 1 and "standard output" in result.stderr, f"{result}")
    with open(path) as file:
        check(file.read().rstrip().endswith("</svg>"), "the picture is not whole")


# Their options are those of another program, which names mistakes itself.
PASSING = {"hipcc", "run"}


def test_near_names(names):
    for name in names:
        start()
        refused("a subcommand", [f'unknown subcommand "x{name}"', name, "wavetile --help"], "x" + name)
        if name in PASSING:
            continue
        start(name)
        refused("no such option", ['unknown option "--hepl"', "did you mean --help?", f"wavetile {name} --help"], "--hepl")
        refused("one dash", ['unknown option "-help"', "did you mean --help?"], "-help")
        refused("nothing like it", ['unknown option "--qqqqqq"; wavetile'], "--qqqqqq")
    start()
    refused("no subcommand", ["name a subcommand", "wavetile --help"])
    refused("nothing like it", ['unknown subcommand "qqqqqq"; wavetile --help'], "qqqqqq")
    start("isa")
    refused("no kernel", ['no kernel is named "nope"; wavetile isa --list'], "nope")
    refused("a part of names", ['no kernel is named "gemm_4wave"', "did you mean gemm_4wave_"], "gemm_4wave")
    refused("a typing error", ["did you mean gemm_4wave_64x64"], "gemm_4wave_64x46")
    refused("a kernel of a file", ["did you mean gemm_4wave_64x64_bf16_bf16"], "gemm_4wave_64x64_bf16_bf61")
    with open(os.path.join(WORK, "rows.npy"), "w") as file:
        file.write("numbers")
    refused("no code object", ["rows.npy: ", "pass a kernel's name or what wavetile hipcc --kernel writes"], "rows.npy")
    refused("a name to list", ["--list lists the library's kernels", '"gemm"'], "gemm", "--list")
    listed = run("--list", "--target", "gfx942").stdout.splitlines()
    check(len(listed) == len(set(listed)) > 1 and all(line.split()[-1] == "gfx942" for line in listed if "gfx950" not in line), f"{listed}")
    start("bench")
    refused("a part of bench", ['"valdate"', "did you mean validate?"], "valdate")


def test_settings():
    """A wrong setting of the simulated device is refused before any work, as options are."""
    start("gemm")
    sizes = ["--m", 16, "--n", 16, "--k", 32]
    for setting, value, sentence in (("NOSUCH", "1", "WT_SIM_NOSUCH is not a setting"), ("PROGRESS", "x", "WT_SIM_PROGRESS=x is not one of"),
                                     ("DEVICES", "mi350", 'no simulated device "mi350"'), ("check", "1", "did you mean WT_SIM_CHECK"),
                                     ("REPORT", "/nowhere/x", "cannot be written"), ("PROFILE", "/nowhere", "is no folder that can be written"),
                                     ("TALLY", "/nowhere", "no tally")):
        refused(setting, [sentence], *sizes, **{"WT_SIM_" + setting: value})


def test_refusals_before_work():
    """What only the library refuses is refused before random inputs of a large call are made."""
    start()
    for words, *call in ((["--ldx is 5"], "softmax", "--rows", 65536, "--columns", 8192, "--ldx", 5),
                         (["is 1024", "up to that and 512"], "rotary", "--rows", 65536, "--head-dim", 1024),
                         (['--kernel is "nope"'], "conv", "--n", 64, "--h", 224, "--c", 512, "--k", 512, "--r", 3, "--kernel", "nope"),
                         (["--k is 7170", "multiple of 32"], "grouped", "--groups", 8, "--m", 8192, "--n", 8192, "--k", 7170, "--scales", "mx"),
                         (["--head-dim is 100"], "attention", "--queries", 20000, "--heads", 16, "--head-dim", 100),
                         (["--experts is 600", "1 to 512"], "experts", "--experts", 600, "--tokens", 4096, "--hidden", 4096, "--inner", 1024)):
        before = os.times().children_user
        refused(call[0], words, *call)
        check(os.times().children_user - before < 5, f"{call[0]}: the refusal took {os.times().children_user - before} s")


start()
names = subcommands()
test_help(names)
test_version()
test_help_on_a_terminal()
test_output_that_cannot_be_written(names)
test_closed_descriptors()
test_near_names(names)
test_settings()
test_refusals_before_work()
finish()
