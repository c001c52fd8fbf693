# SPDX-License-Identifier: MIT
"""`wavetile prof`: that its numbers add up and agree with what the program itself can know, the forms of its files, what it
says of programs that fail or launch nothing, and every mistake a user can make.
Usage: prof_cli.py WAVETILE WORK_FOLDER PROF_LAUNCHES ORDINARY_PROGRAM PROF_LINES PROF_LINES_SOURCE PROF_LINES_OBJECT..."""

import itertools
import json
import os
import re
import signal
import subprocess
import sys

from cli import WAVETILE, WORK, check, finish, refused, run, start

LAUNCHES, ORDINARY, LINES, LINES_SOURCE = map(os.path.abspath, sys.argv[3:7])
LINES_OBJECTS = [os.path.abspath(name) for name in sys.argv[7:]]
M, N, K = 256, 512, 1024
GEMM = ["--", WAVETILE, "gemm", "--m", M, "--n", N, "--k", K, "--dtype", "bf16", "--kernel", "gemm_4wave_128x128", "--split-k", 1, "--no-verify"]
CAUSES = ["MFMA dependency", "VALU dependency", "LDS wait", "LDS queue full", "VMEM wait", "TCP full", "barrier", "issue conflict",
          "instruction fetch", "s_nop and s_sleep"]
UNITS = {"MFMA", "VALU", "LDS", "VMEM", "scalar", "branch", "wait"}
NUMBER = (int, float)

# What docs/guide/profiling.md says is there: types of the members, of all elements of a list, or of all members of a name.
SHARES = {cause: NUMBER for cause in [*CAUSES, "issuing"]}
CACHE = {"lines": int, "hits": int, "hit_rate": NUMBER}
SCHEMA = {
    "format": str, "version": int, "wavetile": str, "numbers": str, "program": [str], "timing": str, "repeats": bool, "launches": int, "seconds": NUMBER,
    "kernels": [{
        "name": str, "title": str, "chip": str, "target": str, "shape": str, "grid": [int], "block": [int],
        "launches": {"all": int, "timed": int, "equal": int, "alike": int},
        "time": {name: NUMBER for name in ("cycles", "least_cycles", "most_cycles", "write_back_cycles", "seconds",
                                           "seconds_of_all_launches", "clock_mhz")},
        "matrix": {name: NUMBER for name in ("flops", "flops_per_second", "peak_flops_per_second", "share_of_peak", "busy", "busy_in_loop")},
        "vector": {name: NUMBER for name in ("flops", "flops_per_second", "peak_flops_per_second", "share_of_peak")},
        "memory": {name: NUMBER for name in ("hbm_bytes_read", "hbm_bytes_written", "bytes_per_second", "peak_bytes_per_second",
                                             "share_of_peak")},
        "memory_levels": [{"level": str, **{name: NUMBER for name in ("bytes_read", "bytes_written", "bytes_per_second", "most_bytes_per_second",
                                                                     "share_of_most", "flops_per_byte")}}],
        "roofline": {"flops": NUMBER, "flops_per_second": NUMBER, "bound_by": str, "roofs": [{"roof": str, "share": NUMBER}]},
        "caches": {"tcp": CACHE, "l2": CACHE, "llc": CACHE}, "lds_conflict_cycles": int,
        "occupancy": {"limited_by": str, "waves_per_simd": NUMBER, **{name: int for name in (
            "work_groups_per_cu", "most_waves_per_simd", "vgprs", "allocated_vgprs", "agprs", "sgprs", "lds_bytes",
            "scratch_bytes_per_lane", "spilled_vgprs")}},
        "waves_time": {"launch": SHARES, "loop": (SHARES, None), "matrix_pipe_in_loop": ({**SHARES, "busy": NUMBER}, None)},
        "limited_by": [{"resource": str, "sentence": str, "suggestion": str}],
        "loop": {"is_loop": bool, **{name: NUMBER for name in ("iterations", "cycles_per_iteration", "pipe_busy_per_iteration", "pipe_idle_per_iteration")},
                 "instructions": [{"offset": int, "unit": str, "text": str, "issued": int, "cycles": NUMBER, "lost": None}]},
        "source": ({"own": int, "files": [{"file": str, "share": NUMBER, "lines": [
            {"line": int, "cycles": NUMBER, "share": NUMBER, "pipe_idle": NUMBER, "lost": None}]}]}, None),
        "work_groups_timed": int, "waves_timed": int}]}
OPTIONAL = {"pipe_idle", "line"}


def check_form(value, form, where):
    if form is None:
        return
    if isinstance(form, tuple) and form is not NUMBER:  # one of these; None is null
        if value is not None:
            check_form(value, form[0], where)
    elif isinstance(form, dict):
        check(isinstance(value, dict) and set(value) - OPTIONAL == set(form) - OPTIONAL, f"{where}: has {sorted(value)}, expected {sorted(form)}")
        for name in form:
            check_form(value.get(name), form[name], f"{where}.{name}")
        for name in OPTIONAL & (set(form) ^ set(value)):
            check(name not in form, f"{where}: has no {name}")
    elif isinstance(form, list):
        check(isinstance(value, list), f"{where} is no list")
        for i, element in enumerate(value):
            check_form(element, form[0], f"{where}[{i}]")
    else:
        check(isinstance(value, form) and not (form is not bool and isinstance(value, bool)), f"{where} is {value!r}")


def read(name):
    with open(os.path.join(WORK, name)) as file:
        return json.load(file)


def profiled(name, *arguments, **environment):
    """Returns the run's JSON; the program must have ended well."""
    result = run("--json", name, *arguments, **environment)
    check(result.returncode == 0, f"{arguments}: exit code {result.returncode}: {result.stderr}")
    profile = read(name)
    check_form(profile, SCHEMA, "run")
    return profile, result.stdout


def near(a, b, relative=1e-9):
    return abs(a - b) <= relative * max(abs(a), abs(b))


def check_shares(kernel):
    for where, shares in kernel["waves_time"].items():
        if shares is None:
            continue
        check(near(sum(shares.values()), 1, 1e-6), f"{kernel['name']}: shares of {where} sum to {sum(shares.values())}")
        check(all(-1e-9 <= share <= 1 for share in shares.values()), f"{kernel['name']}: {where}: {shares}")


def check_loop(kernel):
    """The parts of the listing make up its whole."""
    loop, shares = kernel["loop"], kernel["waves_time"]["loop"]
    total = sum(i["cycles"] * i["issued"] for i in loop["instructions"])
    check(near(total / loop["iterations"], loop["cycles_per_iteration"], 1e-6), f"{kernel['name']}: cycles of the listing and of an iteration")
    for i in loop["instructions"]:
        check(i["unit"] in UNITS and set(i["lost"]) <= set(CAUSES), f"{i}")
        if i["issued"]:
            check(near(i["cycles"], 4 + sum(i["lost"].values()), 1e-6), f"{i}: a slot and what was lost")
    if shares is None:
        return
    for cause in CAUSES:
        lost = sum(i["lost"].get(cause, 0) * i["issued"] for i in loop["instructions"])
        check(near(lost / total, shares[cause], 1e-6) or abs(lost / total - shares[cause]) < 1e-9, f"{cause}: {lost / total} {shares[cause]}")
    idle = sum(i.get("pipe_idle", 0) * i["issued"] for i in loop["instructions"]) / loop["iterations"]
    check(near(idle, loop["pipe_idle_per_iteration"], 1e-6) or idle == 0, f"idle cycles {idle} of the listing, {loop['pipe_idle_per_iteration']} of an iteration")


def test_gemm():
    profile, text = profiled("gemm.json", *GEMM)
    check(profile["numbers"] == "predicted, not measured" and "predicted by the timing model, not measured" in text, "it says predicted")
    check(max(map(len, text.splitlines())) <= 100, "more than 100 columns")
    check(len(profile["kernels"]) == 1 and profile["launches"] == 1, "one launch of one kernel")
    kernel = profile["kernels"][0]
    check(near(kernel["matrix"]["flops"], 2 * M * N * K), f"{kernel['matrix']['flops']} matrix FLOPs, expected {2 * M * N * K}")
    check(near(kernel["matrix"]["flops_per_second"], 2 * M * N * K / kernel["time"]["seconds"]), "FLOP/s")
    # The peak is 2.5 PFLOP/s of dense BF16 (AMD Instinct MI355X data sheet).
    check(near(kernel["matrix"]["peak_flops_per_second"], 2.5e15, 0.01), f"peak {kernel['matrix']['peak_flops_per_second']}")
    check(kernel["memory"]["hbm_bytes_read"] >= 2 * (M + N) * K, "both matrices are read")
    check_shares(kernel)
    check_loop(kernel)
    check(kernel["loop"]["is_loop"] and kernel["loop"]["pipe_busy_per_iteration"] > 0, "the hot loop is found")
    pipe = kernel["waves_time"]["matrix_pipe_in_loop"]["busy"]
    busy, idle = kernel["loop"]["pipe_busy_per_iteration"], kernel["loop"]["pipe_idle_per_iteration"]
    check(near(pipe, busy / (busy + idle), 1e-6), "busy and idle")


def test_levels():
    """What the levels move follows from the tiles: eight work-groups, each with 128 rows of A and of B, on eight dies."""
    kernel = read("gemm.json")["kernels"][0]
    levels = {l["level"]: l for l in kernel["memory_levels"]}
    check(list(levels) == ["L1 (TCP)", "L2", "LLC", "HBM"], f"levels {list(levels)}")
    loaded, stored, matrices = 8 * (128 + 128) * K * 2, M * N * 2, (M + N) * K * 2
    more = 1.05  # code and arguments
    for level, expected in (("L1 (TCP)", loaded), ("L2", loaded), ("LLC", loaded), ("HBM", matrices)):
        read_bytes = levels[level]["bytes_read"]
        check(expected <= read_bytes <= more * expected, f"{level} reads {read_bytes}, expected {expected}")
    for level, expected in (("L1 (TCP)", stored), ("L2", stored), ("LLC", stored), ("HBM", 0)):
        check(levels[level]["bytes_written"] == expected, f"{level} writes {levels[level]['bytes_written']}, expected {expected}")
    roofline = kernel["roofline"]
    check(near(roofline["flops"], kernel["matrix"]["flops"] + kernel["vector"]["flops"]), "FLOPs of both pipes")
    for level in levels.values():
        moved = level["bytes_read"] + level["bytes_written"]
        check(near(level["bytes_per_second"], moved / kernel["time"]["seconds"]), f"{level}")
        check(near(level["flops_per_byte"], roofline["flops"] / moved), f"{level}")
        check(near(level["share_of_most"], level["bytes_per_second"] / level["most_bytes_per_second"]), f"{level}")
        check(0 < level["share_of_most"] <= 1, f"more than the level passes on: {level}")
    shares = {**{name: level["share_of_most"] for name, level in levels.items()}, "matrix": kernel["matrix"]["share_of_peak"],
              "f32 vector": kernel["vector"]["share_of_peak"]}
    check([r["roof"] for r in roofline["roofs"]] == sorted(shares, key=shares.get, reverse=True), f"the nearest roof first: {roofline}")
    check(roofline["bound_by"] == roofline["roofs"][0]["roof"] and all(near(r["share"], shares[r["roof"]]) for r in roofline["roofs"]), f"{roofline}")


def test_busy_cache():
    """A kernel that reads what L1 holds is bound by L1. Two work-groups for each compute unit of an MI355X keep L1 busy; an MI300X has
    engines of different sizes, so that some units have three."""
    for device, (units, name) in enumerate(zip((256, 304), LINES_OBJECTS)):
        profile, _ = profiled("reread.json", "--timing", "only", "--", LINES, name, device, "reread", 2 * units, 256, 200)
        kernel = profile["kernels"][0]
        share, limit = kernel["memory_levels"][0]["share_of_most"], kernel["limited_by"][0]
        check(kernel["roofline"]["bound_by"] == "L1 (TCP)" and share <= 1 and (share > 0.9 if units == 256 else share > 0.5), f"{kernel['roofline']}")
        check((limit["resource"] == "L1 (TCP) bandwidth") == (share >= 0.8), f"{share} of L1: {limit}")
        check(share < 0.8 or f"{100 * share:.0f}% of what it passes on" in limit["sentence"], f"{share} of L1: {limit}")


def marked(word):
    """Returns the number of the source line with this comment."""
    with open(LINES_SOURCE) as file:
        return next(n for n, line in enumerate(file, 1) if f"// {word}" in line)


def test_source_lines():
    """Tests the lines of a kernel with line tables, in the user's file and in the header that was inlined."""
    for target, name in zip(("gfx950", "gfx942"), LINES_OBJECTS):
        profile, text = profiled("lines.json", "--source", "--", LINES, name, 0 if target == "gfx950" else 1, "lines", 8, 64, 50)
        kernel = profile["kernels"][0]
        check(kernel["target"] == target, f"{kernel['target']}")
        files = {os.path.basename(f["file"]): f for f in kernel["source"]["files"]}
        own = kernel["source"]["files"][kernel["source"]["own"]]
        check(set(files) == {"prof_lines.hip", "prof_lines.h"} and own["file"].endswith("prof_lines.hip"), f"files {sorted(files)}")
        lines = {l["line"]: l for l in own["lines"]}
        check(max(lines.values(), key=lambda l: l["cycles"])["line"] == marked("hot"), f"{target}: cycles by line {lines}")
        check(lines[marked("hot")]["share"] > 0.5 and marked("cold") in lines and lines[marked("cold")]["share"] < 0.1, f"{lines}")
        check(near(sum(l["cycles"] for l in own["lines"]) / own["share"], sum_of_cycles(kernel)), "the lines make up the file's share")
        check(0.9 < own["share"] <= 1 and files["prof_lines.h"]["share"] > 0.5, f"shares {own['share']}, {files['prof_lines.h']['share']}")
        instructions = [i for i in kernel["loop"]["instructions"] if i["issued"] and i["text"].startswith("v_fma")]
        check(instructions and all(i["line"] == marked("hot") for i in instructions), "instructions of the inlined function have the line of its call")
        with open(LINES_SOURCE) as file:
            hot = file.read().splitlines()[marked("hot") - 1]
        check(re.search(rf"^ +{marked('hot')} +[0-9.]+ +[0-9.]+% +[0-9.]* *{re.escape(hot)}", text, re.M) is not None, f"the text is not shown: {text}")
    without = read("gemm.json")["kernels"][0]
    check(without["source"] is None and "compile the program with -g" in run("--source", *GEMM).stdout, "a kernel without line tables")


def sum_of_cycles(kernel):
    """Returns what the causes and issuing of the whole launch take a wave."""
    return next(l["cycles"] / l["share"] for f in kernel["source"]["files"] for l in f["lines"] if l["share"] > 0)


def test_listing_covers_the_loop():
    """Every instruction between the first and the last of the loop, as `wavetile isa` has them, and the last goes back."""
    kernel = read("gemm.json")["kernels"][0]
    start("isa", keep=True)
    text = run(kernel["name"], "--target", kernel["target"], "--text").stdout
    start("prof", keep=True)
    code = {int(offset, 16): words for offset, words in re.findall(r"^  \+0x([0-9a-f]+)  (.*)$", text, re.M)}
    listed = kernel["loop"]["instructions"]
    first, last = listed[0]["offset"], listed[-1]["offset"]
    expected = [(offset, code[offset]) for offset in sorted(code) if first <= offset <= last]
    check(expected == [(i["offset"], i["text"]) for i in listed], "the listing is not the code from the loop's first to its last instruction")
    check(listed[-1]["unit"] == "branch" and first in branch_targets(listed[-1]), "the last instruction goes back to the first")
    shown = run("--listing", *GEMM).stdout
    lines = re.findall(r"^  \+0x([0-9a-f]+) ", shown, re.M)
    check([int(offset, 16) for offset in lines] == [i["offset"] for i in listed], "--listing shows other instructions than --json")
    for i in listed:
        check(f" {i['text']}" in shown, f"--listing into a pipe does not have the whole of {i['text']!r}")


def branch_targets(instruction):
    """SOPP branches count words from the next instruction."""
    words = int(instruction["text"].split()[1])
    return [instruction["offset"] + 4 + 4 * (words - (1 << 16) * (words >= 1 << 15))]


def test_runs_are_alike():
    for threads in ("1", "2"):
        again, _ = profiled("again.json", *GEMM, WT_SIM_THREADS=threads)
        check(again == read("gemm.json"), f"{threads} threads change the numbers")
    result = run("--compare", "gemm.json", "again.json")
    check(result.returncode == 0 and result.stdout.count("no difference") == 1 and "B/A" not in result.stdout, result.stdout)
    check(re.search(r"time, us +([0-9.]+) +\1 +1\.000", result.stdout) is not None, result.stdout)


def test_compare():
    other, _ = profiled("other.json", *[2 * K if word == K else word for word in GEMM])
    result = run("--compare", "gemm.json", "other.json")
    before, after = (p["kernels"][0]["time"]["cycles"] for p in (read("gemm.json"), other))
    row = re.search(r"^ +cycles +(\d+) +(\d+) +([0-9.]+)$", result.stdout, re.M)
    check(row is not None, result.stdout)
    if row:
        check([float(w) for w in row.groups()] == [round(before), round(after), round(after / before, 3)], f"{row.groups()}")
    check(max(map(len, result.stdout.splitlines())) <= 100, "more than 100 columns")
    another, _ = profiled("another.json", *["gemm_8wave_128x128" if word == "gemm_4wave_128x128" else word for word in GEMM])
    result = run("--compare", "gemm.json", "another.json")
    names = [read("gemm.json")["kernels"][0]["name"], another["kernels"][0]["name"]]
    check(re.search(rf"^A  {names[0]} .*\nB  {names[1]} .*\n.* B/A$", result.stdout, re.M) is not None, "one kernel in the place of another")
    profiled("launches.json", "--", ORDINARY)
    result = run("--compare", "gemm.json", "launches.json")
    check(result.stdout.count("only in A") == 1 and result.stdout.count("only in B") == len(read("launches.json")["kernels"]), result.stdout)


def test_trace():
    result = run("--trace", "trace.json", "--cycles", 8000, *GEMM)
    check(result.returncode == 0, result.stderr)
    trace = read("trace.json")
    slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    lanes = {}
    for e in slices:
        begin = round(1000 * e["ts"])
        lanes.setdefault((e["pid"], e["tid"]), []).append((begin, begin + round(1000 * e["dur"])))
        if e["cat"] == "issue":
            check(e["name"] in UNITS and e["args"]["instruction"], f"{e}")
        elif e["cat"] == "stall":
            check(e["name"] in CAUSES, f"{e}")
        check(begin < 8000 and e["dur"] > 0 and begin == e["args"]["cycle"], f"{e}")
    check(set(lanes) <= set(names) and len({pid for pid, _ in lanes}) == 4, f"lanes {sorted(lanes)}")
    for lane, times in lanes.items():
        times.sort()
        for (_, end), (begin, _) in itertools.pairwise(times):
            check(end <= begin, f"slices overlap on {names[lane]} of SIMD {lane[0] - 1}: {end} > {begin}")
    pipes = [lane for lane in lanes if names[lane] == "matrix pipe"]
    check(len(pipes) == 4, f"{len(pipes)} matrix pipes")
    issued = sum(e["cat"] == "issue" and e["name"] == "MFMA" for e in slices)
    check(0 < issued == sum(e["cat"] == "pipe" for e in slices), "each MFMA is in a pipe once")


def test_page():
    result = run("--html", "page.html", *GEMM)
    check(result.returncode == 0, result.stderr)
    with open(os.path.join(WORK, "page.html")) as file:
        page = file.read()
    for outside in ("src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest", "import("):
        check(outside not in page, f"the page has {outside}")
    check(set(re.findall(r"https?://[^'\" ]+", page)) <= {"http://www.w3.org/2000/svg"}, "the page names other addresses")
    data = json.loads(re.search(r'<script id="run" type="application/json">(.*?)</script>', page, re.S).group(1))
    check(data["kernels"][0]["timeline"]["slices"], "no timeline")


def test_many_launches():
    """Equal launches are timed once, and the clock that events read moves all the same."""
    for count, launches, timed in ((1500, 1, 1), (20, 3, 3)):
        profile, text = profiled("many.json", "--launches", launches, "--", LAUNCHES, count)
        kernel = profile["kernels"][0]
        check(kernel["launches"] == {"all": count, "timed": timed, "equal": count - timed, "alike": 0}, f"{kernel['launches']}")
        check(f"{count - timed} taken as equal" in text, text)
        elapsed = float(text.splitlines()[0])  # events have whole nanoseconds, and give them as float
        # Events count, and the profile does not, what a launch costs besides its waves: 690 ns (docs/timing.md).
        expected = 1e9 * profile["seconds"] + 690 * count
        check(abs(elapsed - expected) <= 2 + 2 ** -23 * elapsed, f"events say {elapsed} ns, the profile {expected} with its launches")
        # Later launches find in the last-level cache what the first one has left.
        check(timed > 1 or near(profile["seconds"], count * kernel["time"]["seconds"]), "all launches take the same")


def test_changing_arguments():
    profile, text = profiled("kinds.json", "--", LAUNCHES, 100, 40)
    sums = {what: sum(k["launches"][what] for k in profile["kernels"]) for what in ("all", "timed", "equal", "alike")}
    check(sums["all"] == 100 and sums["timed"] == len(profile["kernels"]) == 16, f"{sums}")
    check(sums["alike"] == 24 + 24 + 4 and sums["equal"] == 16 + 16, f"{sums}")
    check(max(map(len, text.splitlines())) <= 100, "more than 100 columns")


def test_incomplete_runs():
    """--timing only and die execute what is timed only; launches that are taken as equal not at all."""
    for mode in ("only", "die"):
        profile, _ = profiled("mode.json", "--timing", mode, "--", LAUNCHES, 30)
        check(profile["kernels"][0]["launches"]["equal"] == 29 and profile["timing"] == mode, f"{profile['kernels'][0]['launches']}")


def test_repeats():
    """A repeat of a GEMM whose matrices fit into the last-level cache reads next to nothing from HBM, and is faster."""
    first, text = profiled("first.json", *GEMM)
    again, repeated = profiled("again.json", "--repeats", *GEMM)
    check(again["repeats"] and not first["repeats"] and "repeat" in repeated and "repeat" not in text, "it is said")
    before, after = first["kernels"][0], again["kernels"][0]
    check(before["memory"]["hbm_bytes_read"] > 0 and after["memory"]["hbm_bytes_read"] < 1e-3 * before["memory"]["hbm_bytes_read"], f"{after['memory']}")
    check([near(a["bytes_read"], b["bytes_read"]) for a, b in zip(before["memory_levels"], after["memory_levels"])] == [True, True, True, False],
          "only HBM reads less")
    check(after["caches"]["llc"]["hit_rate"] > 0.99 and after["time"]["cycles"] < before["time"]["cycles"], f"{after['time']}")


def test_ordinary_program():
    profile, text = profiled("ordinary.json", "--", ORDINARY)
    check(len(profile["kernels"]) > 3, "its kernels")
    check(text.count("limited by") >= len(profile["kernels"]), "each kernel's limit is named")
    check(any("(" in k["title"] and k["name"].startswith("_Z") for k in profile["kernels"]), "C++ names are readable")
    for kernel in profile["kernels"]:
        check_shares(kernel)
        check_loop(kernel)
        check(kernel["limited_by"], f"{kernel['name']}: nothing limits it")
    one = profile["kernels"][-1]["name"]
    filtered, _ = profiled("one.json", "--kernel", one, "--", ORDINARY)
    check({k["name"] for k in filtered["kernels"]} == {one}, "--kernel")


def test_programs_that_end_otherwise():
    refused("no launch", ["/bin/true launched no kernel"], "--", "/bin/true", code=1)
    refused("fails without launch", ["/bin/false ended with exit code 1"], "--", "/bin/false", code=1)
    refused("no program", ['cannot run "/nowhere/program"', "No such file"], "--", "/nowhere/program")
    result = run("--json", "failed.json", "--", LAUNCHES, 2, 1, 42)
    check(result.returncode == 42 and "ended with exit code 42" in result.stderr and "limited by" in result.stdout, f"{result}")
    check(read("failed.json")["launches"] == 2, "the launches before the end are recorded")
    result = run("--", "sh", "-c", f"{LAUNCHES} 1 >/dev/null; kill -KILL $$")
    check(result.returncode == 128 + 9 and "was ended by signal 9 (Killed)" in result.stderr and "limited by" in result.stdout, f"{result}")
    result = run("--", "sh", "-c", f"{LAUNCHES} 1 >/dev/null; {LAUNCHES} 2 >/dev/null")
    check(result.returncode == 0 and "3 launches" in result.stdout, f"two processes: {result}")


def test_folder_for_records():
    """Without this command: the first HIP call refuses a folder that does not exist."""
    result = subprocess.run([LAUNCHES, "5"], env=dict(os.environ, WT_SIM_PROFILE="/nowhere"), capture_output=True, text=True)
    check(result.returncode != 0 and result.stdout == "", f"{result}")
    check(result.stderr.count("WT_SIM_PROFILE") == 1 and "No such file" in result.stderr, result.stderr)


def records():
    """Returns the folders for records that are there now."""
    return {name for name in os.listdir(WORK) if name.startswith("wavetile-prof-")}


def test_interruption():
    """A signal ends the program too, and leaves no folder, no file and the usual exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        before = sorted(os.listdir(WORK))
        words = [WAVETILE, "prof", "--json", "interrupted.json", "--", "sh", "-c", f"{LAUNCHES} 1; echo ready; exec sleep 1000"]
        process = subprocess.Popen(words, cwd=WORK, env=dict(os.environ, TMPDIR=WORK), stdout=subprocess.PIPE, text=True)
        process.stdout.readline()
        check(process.stdout.readline() == "ready\n", "the program runs")
        check(len(records()) == 1, f"folders for records: {records()}")
        process.send_signal(number)
        check(process.wait(60) == -number, f"{number.name}: exit status {process.returncode}")
        check(process.stdout.read() == "", "the program goes on")
        check(sorted(os.listdir(WORK)) == before, f"{number.name}: left {set(os.listdir(WORK)) - set(before)}")


def test_file_size_limit():
    """Records and files beyond the limit: an exit code, a sentence, and nothing left."""
    before = sorted(os.listdir(WORK))
    for option, limit in (("--json", 8), ("--html", 8), ("--trace", 8), ("--json", 0)):
        words = f"ulimit -f {limit}; '{WAVETILE}' prof {option} limited -- '{LAUNCHES}' 1"
        result = subprocess.run(["bash", "-c", words], cwd=WORK, env=dict(os.environ, TMPDIR=WORK), capture_output=True, text=True)
        check(result.returncode > 0 and "could be recorded among the temporary files" in result.stderr
              and "launched no kernel" not in result.stderr, f"{option}, {limit} KiB: {result}")
        check(sorted(os.listdir(WORK)) == before, f"{option}, {limit} KiB: left {set(os.listdir(WORK)) - set(before)}")


def test_mistakes():
    with open(os.path.join(WORK, "text.json"), "w") as file:
        file.write("{}")
    with open(os.path.join(WORK, "later.json"), "w") as file:
        json.dump({"format": "wavetile-prof", "version": 99, "kernels": []}, file)
    refused("nothing", ["name the program after --"])
    refused("no --", ['unexpected "./program"', "after --"], "./program")
    refused("nothing after --", ["name the program after --"], "--listing", "--")
    refused("unknown", ['"--depth"'], "--depth", "--", LAUNCHES)
    refused("timing", ['--timing is "some"', "all, only or die"], "--timing", "some", "--", LAUNCHES)
    refused("launches", ['--launches is "0"', "whole number"], "--launches", 0, "--", LAUNCHES)
    refused("cycles", ['--cycles is "x"'], "--cycles", "x", "--", LAUNCHES)
    refused("from", ['--from is "-1"'], "--from", "-1", "--", LAUNCHES)
    for option in ("--json", "--html", "--trace"):
        refused(option, [f"{option} nowhere/file: cannot be written"], option, "nowhere/file", "--", LAUNCHES)
    for one, other in (("same", "same"), ("same", "./same"), ("same", f"{WORK}/same"), ("text.json", "link.json")):
        if other == "link.json":
            os.symlink("text.json", os.path.join(WORK, other))
        refused("one file twice", ["--json and --html both write", "pass two files"], "--html", one, "--json", other, "--", LAUNCHES)
    refused("compare one", ["--compare takes two files"], "--compare", "gemm.json")
    refused("compare and run", ["--compare takes two files"], "--compare", "gemm.json", "gemm.json", "--", LAUNCHES)
    refused("compare missing", ['"none.json"'], "--compare", "none.json", "gemm.json")
    refused("compare other", ['"text.json" is not from wavetile prof --json'], "--compare", "gemm.json", "text.json")
    refused("compare later", ['"later.json" has version 99'], "--compare", "later.json", "gemm.json")
    result = run("--kernel", "nobody", "--", LAUNCHES)
    check(result.returncode == 2 and 'no kernel has "nobody" in its name' in result.stderr, f"{result}")


start("prof")
test_gemm()
test_levels()
test_source_lines()
test_busy_cache()
test_listing_covers_the_loop()
test_runs_are_alike()
test_compare()
test_trace()
test_page()
test_many_launches()
test_changing_arguments()
test_incomplete_runs()
test_repeats()
test_ordinary_program()
test_programs_that_end_otherwise()
test_folder_for_records()
test_interruption()
test_file_size_limit()
test_mistakes()
finish()
