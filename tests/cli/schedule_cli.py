# SPDX-License-Identifier: MIT
"""`wavetile schedule`: what it prints is what the machine code does, what was worked out by hand for small pipelines, and what a
queue of operations in flight says; and every mistake a user can make: exit code, one sentence that names it, no file left behind.
Usage: schedule_cli.py WAVETILE WORK_FOLDER SMALL_PIPELINES.co (of tests/kernels/pipeline_device.hip, for gfx950)"""

import json
import os
import re
import struct
import sys

from cli import WORK, check, finish, read_picture, refused, run, start, test_full_disk, titled_rectangles

SMALL = os.path.abspath(sys.argv[3])
# A kernel of each mechanism, its target, and waits of the loop that the compiler adds to the derived ones.
KERNELS = [("gemm_4wave_256x256_bf16_bf16", "gfx950"), ("gemm_8wave_256x256_bf16_bf16", "gfx950"),
           ("gemm_4wave_persistent_256x256_bf16_bf16_bf16", "gfx950"), ("gemm_4wave_128x128_bf16_bf16", "gfx950"),
           ("gemm_4wave_256x256_bf16_bf16", "gfx942"), ("gemm_8wave_256x256_bf16_bf16", "gfx942")]


def schedules(*arguments):
    result = run(*arguments, "--json")
    check(result.returncode == 0 and result.stderr == "", f"{arguments}: {result.returncode} {result.stderr!r}")
    return json.loads(result.stdout)["schedules"] if result.returncode == 0 else []


def row_of(schedule, name):
    return [(c["before"]["vmcnt"], c["before"]["lgkmcnt"], c["barrier"], c["after"]["vmcnt"], c["after"]["lgkmcnt"])
            for row in schedule["rows"] if row["name"] == name for c in row["clusters"]]


def loop_rows(schedule):
    return [row for row in schedule["rows"] if row["name"].startswith("loop")]


# ---- against the machine code
def machine_waits(kernel, target):
    """The waits and barriers of the loop with the most MFMAs, as instructions in order: ("v", 8), ("l", 0), "barrier"."""
    start("isa", keep=True)
    text = run(kernel, "--target", target, "--text").stdout
    start("schedule", keep=True)
    loops = [(int(m[2]), int(m[1], 16)) for m in re.finditer(r"loop at \+0x([0-9a-f]+) +\d+ +(\d+)", text)]
    code = [(int(m[1], 16), m[2]) for m in re.finditer(r"^  \+0x([0-9a-f]+)  (.*)$", text, re.M)]
    check(loops and code, f"{kernel}: no loop in {text[:200]!r}")
    head = max(loops)[1]
    found = []
    for at, line in code:
        if at < head:
            continue
        found += [(name[0], int(count)) for name, count in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", line)]
        if line.startswith("s_barrier"):
            found.append("barrier")
        back = re.match(r"s_cbranch\S+ (\d+)", line)
        if back and int(back[1]) >= 0x8000:  # a branch backwards: the loop's end
            return found
    check(False, f"{kernel}: the loop at 0x{head:x} has no end")
    return found


def derived_waits(schedule):
    found = []
    for row in loop_rows(schedule):
        for c in row["clusters"]:
            for part in ("before", "barrier", "after"):
                if part == "barrier":
                    found += ["barrier"] * c["barrier"]
                else:
                    found += [(name[0], c[part][name]) for name in ("vmcnt", "lgkmcnt") if c[part][name] is not None]
    return found


def test_machine_code():
    for kernel, target in KERNELS:
        (schedule,) = schedules(kernel, "--target", target)
        check(schedule["kernels"] == [kernel] and schedule["target"] == target, f"{kernel}: {schedule['kernels']}")
        once, loop = derived_waits(schedule), machine_waits(kernel, target)
        print(kernel, target, once, loop)


start("schedule")
test_machine_code()
finish()
