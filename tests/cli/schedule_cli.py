# SPDX-License-Identifier: MIT
"""`wavetile schedule`: what it prints is what the machine code does, what was worked out by hand for small pipelines, and what a
queue of operations in flight says; and every mistake a user can make: exit code, one sentence that names it, no file left behind.
Usage: schedule_cli.py WAVETILE WORK_FOLDER SMALL_PIPELINES.co (of tests/kernels/sched/pipeline_device.hip, for gfx950)"""

import fnmatch
import json
import os
import pathlib
import random
import re
import struct
import sys

from cli import WORK, check, finish, read_picture, refused, run, start, test_full_disk, titled_rectangles

SMALL = os.path.abspath(sys.argv[3])
# A kernel of each mechanism, its target, and whether the compiler adds waits: for data that go through registers, or for reads.
KERNELS = [("gemm_4wave_256x256_bf16_bf16", "gfx950", False), ("gemm_8wave_256x256_bf16_bf16", "gfx950", False),
           ("gemm_4wave_persistent_256x256_bf16_bf16_bf16", "gfx950", False), ("gemm_4wave_128x128_bf16_bf16", "gfx950", False),
           ("gemm_4wave_128x128_bf16_bf16", "gfx942", False), ("gemm_4wave_256x256_bf16_bf16", "gfx942", True),
           ("gemm_8wave_256x256_bf16_bf16", "gfx942", True), ("attention_forward_d128_bf16", "gfx950", True),
           ("attention_forward_d64_f16_any", "gfx942", True)]
# These are kernels in which vectors stand between products, by the names under which the library lists them.
WITH_VECTORS = ["attention_forward_d128", "attention_forward_d64", "attention_backward_8wave_d128", "attention_backward_8wave_d64"]


def schedules(*arguments):
    result = run(*arguments, "--json")
    check(result.returncode == 0 and result.stderr == "", f"{arguments}: {result.returncode} {result.stderr!r}")
    return json.loads(result.stdout)["schedules"] if result.returncode == 0 else []


def rows_named(schedule, name):
    return [row["clusters"] for row in schedule["rows"] if row["name"].startswith(name)]


# ---- which main loops are schedules
def patterns_by_hand(lists):
    """Returns the names of kernels whose loops are by hand, which a family's CMakeLists.txt has as "by hand: a_*, b_* (why)"."""
    return re.findall(r"\w+_\*", re.search(r"by hand: ([^(]*)\(", re.sub(r"\n# ", " ", lists))[1])


def loops_of_folders(root):
    """Yields folders, their stems, and a function that says whether a stem's loop is a schedule as the folder has it: in its table
    of mechanisms, or where it has none in the comment of its CMakeLists.txt."""
    for folder in sorted(path.parent for path in root.glob("kernels/*/instances.def")):
        table = (folder / "instances.def").read_text()
        prefix = re.sub("_.*", "", folder.name)
        rows = re.findall(r"^\w+_MECHANISM\((\w+),", table, re.MULTILINE)
        loops = dict(re.findall(r"^\w+_MECHANISM\((\w+),.*?\b(SCHEDULE|BY_HAND)\b", table, re.MULTILINE))
        check(set(rows) == set(loops), f"{folder.name}: {rows} are not {sorted(loops)}")
        stems = re.findall(r"^\w+_INSTANCE\((\w+),", table, re.MULTILINE)
        mechanism_of = {stem: max((m for m in loops if stem.startswith(f"{prefix}_{m}_")), key=len, default=None) for stem in stems}
        check(set(mechanism_of.values()) == set(loops), f"{folder.name}: the mechanisms of kernels are {mechanism_of}")
        yield folder.name, stems, lambda stem, of=mechanism_of, loops=loops: loops.get(of[stem]) == "SCHEDULE"
    for family in ("attention", "conv"):
        folder = root / "kernels" / family
        by_hand = patterns_by_hand((folder / "CMakeLists.txt").read_text())
        stems = [path.stem for path in folder.glob("*.hip")]
        check(all(fnmatch.filter(stems, pattern) for pattern in by_hand), f"{family}: {by_hand} are no kernels")
        yield family, stems, lambda stem, by_hand=by_hand: not any(fnmatch.fnmatchcase(stem, pattern) for pattern in by_hand)


def test_attention_comment():
    """This compares the rows at the top of attention_forward_schedule.h with the schedule. Products go from one iteration to the next:
    those behind the softmax are of the block before."""
    (schedule,) = schedules("attention_forward_d128_bf16", "--target", "gfx950")
    softmax = [op["cluster"] for op in schedule["ops"] if op["op"] == "vector"]

    def blocks(kind, ops):
        return {(op[kind]["buffer"] if kind else op["buffer"], (0 if kind else op["ahead"]) - (op["cluster"] > max(softmax))) for op in ops}

    def named(text):
        return {(name, int(ahead or 0)) for name, ahead in re.findall(r"([KV])\(j([+-]\d+)?\)", text)}

    ops = {kind: [op for op in schedule["ops"] if op["op"] == kind] for kind in ("multiply", "read", "copy")}
    check(all(op["cluster"] in softmax for op in ops["copy"]), "copies stand beside the softmax")
    check(not any(op["cluster"] in softmax for kind in ("multiply", "read") for op in ops[kind]), "products stand beside the softmax")
    root = pathlib.Path(__file__).resolve().parents[2]
    comment = (root / "kernels/attention/attention_forward_schedule.h").read_text()
    (head,) = re.findall(r"^//   interval .*$", comment, re.MULTILINE)
    starts = [head.index(name) for name in ("multiplies", "reads", "copies")]
    products, vectors = ([row[a:b] for a, b in zip(starts, starts[1:] + [None])] for row in re.findall(r"^//   (?:products|softmax) .*$", comment, re.MULTILINE))
    check(named(products[0]) == blocks("b", ops["multiply"]), f"multiplies {products[0]}")
    check(named(products[1]) == blocks(None, ops["read"]), f"reads {products[1]}")
    check(not named(products[2]) and named(vectors[2]) == {(op["buffer"], op["ahead"]) for op in ops["copy"]}, f"copies {vectors[2]}")


def test_pages_and_tables_say_which_loops_are_schedules():
    """This compares with the code objects: the table of docs/architecture.md, and what the folders of kernels/ say."""
    root = pathlib.Path(__file__).resolve().parents[2]
    page = (root / "docs/architecture.md").read_text().split("## Which main loops are schedules")[1].split("\n## ")[0]
    says = {pattern: kind for names, kind in re.findall(r"^\| (`.*`) \| (schedule|by hand) \|", page, re.MULTILINE)
            for pattern in re.findall(r"`([^`]+)`", names)}
    check(len(says) > 20, f"docs/architecture.md lists {len(says)} kinds of kernels only")
    folders = {stem: (folder, says_schedule) for folder, stems, says_schedule in loops_of_folders(root) for stem in stems}
    stems = set(folders) | {path.stem for path in root.glob("kernels/*/*.hip")}
    listed = {name for name, _ in run_isa_list()}  # a build may have few of the library's kernels
    unused = set(says)
    for stem in sorted(listed & stems):
        result = run(stem)
        has = result.returncode == 0
        check(has or (result.returncode == 2 and "has no schedule" in result.stderr), f"{stem}: {result.stderr!r}")
        said = max((p for p in says if fnmatch.fnmatchcase(stem, p)), key=len, default=None)
        unused.discard(said)
        check(has == (said is not None and says[said] == "schedule"), f"docs/architecture.md is wrong about the loop of {stem}")
        if said and stem in folders:  # the others have no products
            folder, says_schedule = folders[stem]
            check(has == says_schedule(stem), f"kernels/{folder} is wrong about the loop of {stem}")
    check(not unused or not listed.issuperset(stems), f"docs/architecture.md lists kernels that do not exist: {unused}")


# ---- against the machine code
def machine_waits(kernel, target):
    """Waits and barriers as instructions in order, such as ("v", 8) and "barrier": of the innermost loop with MFMAs, the longest where
    there are several, and of all code."""
    start("isa", keep=True)
    text = run(kernel, "--target", target, "--text").stdout
    start("schedule", keep=True)
    loops = [(len(m[1]), int(m[4]), int(m[2], 16), int(m[3]))  # depth, MFMAs, offset, instructions
             for m in re.finditer(r"^( +)loop at \+0x([0-9a-f]+) +(\d+) +([1-9]\d*)", text, re.M)]
    code = [(int(m[1], 16), m[2]) for m in re.finditer(r"^  \+0x([0-9a-f]+)  (.*)$", text, re.M)]
    _, _, head, size = max(loops)
    first = [offset for offset, _ in code].index(head)

    def waits(lines):
        found = []
        for _, line in lines:
            found += [(name[0], int(count)) for name, count in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", line)]
            found += ["barrier"] * line.startswith("s_barrier")
        return found

    return waits(code[first:first + size]), waits(code)


def derived_waits(rows):
    found = []
    for edge in [edge for row in rows for edge in row]:
        for waits, barrier in ((edge["before"], edge["barrier"]), (edge["after"], False)):
            found += [(name[0], waits[name]) for name in ("vmcnt", "lgkmcnt") if waits[name] is not None]
            found += ["barrier"] * barrier
    return found


def is_within(part, whole):
    return any(whole[at:at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(item in rest for item in part)


def test_machine_code():
    listed = run_isa_list()
    for kernel, target, compiler_waits in KERNELS:
        if not any(kernel.startswith(name) and target in targets for name, targets in listed):
            print(f"{kernel} for {target} is not looked at: the library was built without it")
            continue
        (schedule,) = schedules(kernel, "--target", target)
        check(schedule["kernels"] == [kernel] and schedule["target"] == target, f"{kernel}: {schedule['kernels']}")
        once, epilogue = derived_waits(rows_named(schedule, "loop")), derived_waits(rows_named(schedule, "epilogue"))
        begin = derived_waits(rows_named(schedule, "prologue") + rows_named(schedule, "iteration"))
        loop, code = machine_waits(kernel, target)
        times = loop.count("barrier") // max(once.count("barrier"), 1)
        check(times >= 1, f"{kernel} for {target}: no barrier in the loop {loop}")
        if compiler_waits:
            check(is_subsequence(once * times, loop), f"{kernel} for {target}: {once} {times} times are not in the loop {loop}")
        else:
            check(once * times == loop, f"{kernel} for {target}: the loop has {loop}, which is not {once} {times} times")
            check(is_within(begin, code), f"{kernel} for {target}: the prologue {begin} is not in the code")
            # Storing complete sums brings waits for arguments between those of the epilogue.
            check(is_subsequence(epilogue, code), f"{kernel} for {target}: the epilogue {epilogue} is not in the code")


def test_scales():
    """Every kernel of MX matrices with a schedule says which buffers hold scales; their names may have spaces."""
    kernels = [name for name, _ in run_isa_list() if name.startswith("gemm_mx_") and "skinny" not in name]
    for kernel in kernels:
        (schedule,) = schedules(kernel)
        names = [buffer["name"] for buffer in schedule["buffers"]]
        check([name for name in names if "scale" in name] in (["scales"], ["scale A", "scale B"]), f"{kernel}: buffers {names}")
    print(f"{len(kernels)} kernels of MX matrices")


def test_applied_scales():
    """Products of FP8 with scales by blocks say what MFMAs do and what vector instructions do, the latter once for each quadrant of C."""
    kernel = "gemm_block_fp8e4m3_tiles_128x128"
    if kernel not in [name for name, _ in run_isa_list()]:
        print(f"{kernel} is not looked at: the library was built without it")
        return
    (schedule,) = schedules(kernel, "--target", "gfx950")
    applied = [op for op in schedule["ops"] if op["op"] == "apply"]
    check(sorted(op["sum"] for op in applied) == [0, 1, 2, 3], f"{kernel}: applies to {applied}")
    check(all(op["a"]["buffer"] == op["b"]["buffer"] == "scales" for op in applied), f"{kernel}: applies {applied}")
    check(sorted(op["sum"] for op in schedule["ops"] if op["op"] == "multiply") == [4, 5, 6, 7], f"{kernel}: multiplies")
    text = run(kernel, "--target", "gfx950").stdout
    check(re.search(r"MFMAs +vector ops +LDS reads", text) and "sum 5 += A0 * B1  apply scales to sum 0  read A1 i (4)" in text, text)
    run(kernel, "--target", "gfx950", "--out", "block.svg")
    picture = titled_rectangles(read_picture("block.svg"))
    check(any(title == "apply scales to sum 3" for title, *_ in picture), f"the picture has {sorted({t for t, *_ in picture})}")
    check("vector ops" not in run(SMALL, "pipeline_deep").stdout, "a column of vector instructions where there are none")


def run_isa_list():
    start("isa", keep=True)
    lines = [line.split() for line in run("--list").stdout.splitlines() if "left out" not in line]
    start("schedule", keep=True)
    return [(words[0], words[1:]) for words in lines]


# ---- against what was worked out by hand (tests/kernels/sched/pipeline_laws.hip)
NOTHING = (None, None, False, None, None)
MEET = (None, None, True, None, None)


def before(vmcnt, lgkmcnt=None):
    return (vmcnt, lgkmcnt, True, None, None)


LDS = (None, None, False, None, 0)
BY_HAND = {
    "pipeline_plain": {"loop": [[MEET, before(0), LDS]]},
    "pipeline_deep": {"prologue": [[NOTHING, NOTHING]] * 2, "loop": [[before(3), LDS]], "epilogue": [[before(3), LDS], [before(0), LDS]]},
    "pipeline_rotated": {"prologue": [[NOTHING, NOTHING]] * 2 + [[before(2), NOTHING]], "loop": [[(0, None, True, None, 0), LDS]]},
    "pipeline_led": {"prologue": [[NOTHING, NOTHING], [before(0), NOTHING]], "loop": [[before(0, 0), NOTHING]],
                     "epilogue": [[(0, None, True, None, 0), NOTHING], [LDS, NOTHING]]},
    "pipeline_lagging": {"loop": [[MEET, before(None, 0), MEET, before(3, 0)]],
                         "epilogue": [[MEET, before(None, 0), MEET, before(0, 0)], [MEET, before(None, 0), MEET, before(None, 0)]]},
    "pipeline_fetched": {"loop": [[before(1, 0), before(None, 0)], [before(1 + 4, 0), before(None, 0)]]},
    "pipeline_attentive": {"prologue": [[NOTHING] * 5] * 2 + [[NOTHING] * 4 + [before(5)]],
                           "loop": [[NOTHING, NOTHING, before(2), NOTHING, before(None, 0)]], "epilogue": []},
    "pipeline_beside": {"loop": [[before(3), NOTHING, NOTHING, NOTHING, NOTHING]], "epilogue": []},
    "pipeline_storing": {"iteration": [[before(3 + 1), LDS], [before(1 + 3 + 1), LDS], [before(1 + 3 + 1), LDS]], "loop": [[before(3), LDS]]},
}
STEADY_DEEP = """\
the loop, K step i
  cluster  in front of it    what has landed then              MFMAs                         LDS reads            to LDS
  0        vmcnt(3) barrier  buffer 0 i, buffer 1 i                                          read buffer 0 i (2)  copy buffer 0 i+2 (2)
                                                                                             read buffer 1 i (1)  copy buffer 1 i+2 (1)
  1        lgkmcnt(0)        buffer 0 i read, buffer 1 i read  sum 0 += buffer 0 * buffer 1

in front of each cluster: vN and lN wait until vmcnt and lgkmcnt are N or less, B is a barrier
  cluster         0     1
  prologue -2     -     -
  prologue -1     -     -
  loop            v3 B  l0
  epilogue 1      v3 B  l0
  epilogue 2      v0 B  l0
"""


def test_by_hand():
    found = {name: schedule for schedule in schedules(SMALL) for name in schedule["kernels"]}
    check(len(found) == 13, f"kernels {sorted(found)}")
    for kernel, expected in BY_HAND.items():
        for name, rows in expected.items():
            got = [[(c["before"]["vmcnt"], c["before"]["lgkmcnt"], c["barrier"], c["after"]["vmcnt"], c["after"]["lgkmcnt"]) for c in row]
                   for row in rows_named(found[kernel], name)]
            check(got == rows, f"{kernel}, {name}: {got}")
    check(found["pipeline_lagging"]["prologue_end"] == {"vmcnt": 3, "lgkmcnt": None}, "the end of the prologue")
    check((found["pipeline_lagging"]["lag_from"], found["pipeline_deep"]["lag_from"]) == (2, 0), "ping-pong")
    check((found["pipeline_led"]["leaders"], found["pipeline_deep"]["leaders"]) == (2, 0), "waves that lead")
    check("  in step, led by waves 0 to 1, which pass barriers" in run(SMALL, "pipeline_led").stdout, "who leads")
    check([b["stages"] for b in found["pipeline_rotated"]["buffers"]] == [4, 2], "stages")
    text = run(SMALL, "pipeline_deep").stdout
    check(text.startswith("pipeline_deep (gfx950)\n  all waves in step\n  LDS holds 3 stages of buffer 0, buffer 1\n"), text)
    check(text.endswith(STEADY_DEEP), text)
    attentive, text = found["pipeline_attentive"], run(SMALL, "pipeline_attentive").stdout
    check(attentive["waits_by_register"] and attentive["drains"] == 0 and not found["pipeline_deep"]["waits_by_register"], "open-ended")
    check("no epilogue: the loop runs to the end" in text and "sum 0 += fragment 4 * buffer 0" in text and "vector 1 i" in text, text)
    weigh = [op for op in attentive["ops"] if op["op"] == "vector"][0]
    check((weigh["takes"], weigh["makes"], weigh["updates"], weigh["name"]) == ([0], [3], [1], ""), f"the vector {weigh}")
    check("sum 0 += fragment 4 * buffer 0 from buffer 0" in run(SMALL, "pipeline_started").stdout, "a sum with a start")
    beside, text = found["pipeline_beside"], run(SMALL, "pipeline_beside").stdout
    check("read buffer 0 i part 1 by pointer 0" in text and "advance pointer 0 i+1" in text and "advance pointer 1 i" in text, text)
    pointers = {op["pointer"] for op in beside["ops"] if op["op"] == "read"}
    check(pointers == {0, 1} and {op["pointer"] for op in attentive["ops"] if op["op"] == "read"} == {None}, f"pointers {pointers}")
    check([op["pointer"] for op in beside["ops"] if op["op"] == "advance" and "pointer" in op] == [1, 0], "advances of pointers")
    storing = run(SMALL, "pipeline_storing").stdout
    check("cluster 1 of the first 3 iterations: store (1)" in storing and "and then 1 store of the caller" in storing, storing)


# ---- against a queue of the operations in flight
def counts_lds(op):
    return op["op"] in ("read", "put") or op.get("through_registers", False)


def fragments_of(name, fragment_of):
    return [fragment_of[one] for one in (name if isinstance(name[0], tuple) else (name,))]


def landed_by_queue(schedule):
    """(op, step, issued) -> place of landing, for what is issued in the loop; the oldest operation of a counter lands first."""
    clusters, phases, reach = schedule["clusters"], schedule["phases"], 24
    loop, landed, fragment_of = rows_named(schedule, "loop"), {}, {}
    in_flight = {"vmcnt": [], "lgkmcnt": []}
    for place in range(-reach * clusters, reach * clusters):
        iteration, cluster = divmod(place, clusters)
        edge = loop[iteration % phases][cluster]
        for waits in (edge["before"], edge["after"]):
            for counter, queue in in_flight.items():
                while waits[counter] is not None and len(queue) > waits[counter]:
                    landed[queue.pop(0)] = place
        here = [op for op in schedule["ops"] if op["cluster"] == cluster]
        kinds = {op["op"] for op in here}
        beside = kinds & ({"multiply", "apply"} if not schedule["lag_from"] else {"multiply"} if schedule["waits_by_register"] else set())
        mixed = (beside or "vector" in kinds) and any(counts_lds(op) and op["op"] != "read" for op in here)
        # The compiler waits for the last read of what is multiplied, and so for all that is older.
        taken = [op[name]["fragment"] for op in here if op["op"] in ("multiply", "apply") for name in ("a", "b", "scale_a", "scale_b", "start")
                 if op[name] and op[name]["buffer"]]
        for fragment in taken if schedule["waits_by_register"] else []:
            last = max((i for i, name in enumerate(in_flight["lgkmcnt"]) if fragment in fragments_of(name, fragment_of)), default=-1)
            for name in in_flight["lgkmcnt"][:last + 1]:
                landed.setdefault(name, place)
            del in_flight["lgkmcnt"][:last + 1]
        here = [op for op in here if op["op"] not in ("multiply", "apply", "store", "vector", "advance")]
        lds = []
        for op in sorted(here, key=lambda op: op["op"] != "read"):
            step = iteration + op["ahead"]
            if step % op.get("steps", 1):
                continue
            counter = "lgkmcnt" if counts_lds(op) else "vmcnt"
            name = (op["op"], op["buffer"], step, place)
            fragment_of[name] = op.get("fragment")
            if op["op"] == "put":  # the compiler waits for its registers
                for fetched in [n for n in in_flight["vmcnt"] if n[0] == "fetch" and n[1] == op["buffer"] and n[2] <= step]:
                    landed.setdefault(fetched, place)
            if counter == "lgkmcnt":
                lds += [name] * op["events"]
            else:
                in_flight[counter] += [name] * op["events"]
        # Where reads and puts go between the same MFMAs, each may be the last.
        in_flight["lgkmcnt"] += [tuple(set(lds))] * len(lds) if mixed and lds else lds
    whole = {}
    for name, place in landed.items():
        for one in name if isinstance(name[0], tuple) else (name,):
            whole[one] = place
    return whole


def test_flow(*arguments):
    for schedule in schedules(*arguments):
        expected = landed_by_queue(schedule)
        check(schedule["loop"], f"{schedule['kernels']}: an empty loop")
        for e in schedule["loop"]:
            name = (e["op"], e["buffer"], e["step"], e["issued"])
            if e["op"] != "fetch":
                check(expected.get(name) == e["landed"], f"{schedule['kernels'][0]}: {name} lands at {e['landed']}, not {expected.get(name)}")
            # What a wave reads has landed, at the latest where it is read.
            fills = [f for f in schedule["loop"] if e["op"] == "read" and f["op"] in ("copy", "put") and f["buffer"] == e["buffer"]]
            for fill in fills:
                age = fill["landed"] - fill["step"] * schedule["clusters"]  # as if it were for step 0
                check(age <= e["issued"] - e["step"] * schedule["clusters"], f"{schedule['kernels'][0]}: {name} comes before {fill}")


# ---- pictures
def test_pictures():
    for kernel, groups in (("pipeline_rotated", 1), ("pipeline_lagging", 2), ("pipeline_fetched", 1)):
        (schedule,) = schedules(SMALL, kernel)
        result = run(SMALL, kernel, "--out", "loop.svg", "--title", "A <loop>")
        check(result.returncode == 0 and result.stdout == result.stderr == "", f"{kernel}: {result}")
        root = read_picture("loop.svg")
        titles = [title for title, _ in titled_rectangles(root)]
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        check("A <loop>" in texts and f"{kernel} (gfx950)" in texts, f"{kernel}: {texts[:4]}")
        for op in ("copy", "put", "read", "fetch"):
            count = sum(e["op"] == op for e in schedule["loop"])
            drawn = sum(title.startswith(op + " ") for title in titles)
            check(drawn == groups * count, f"{kernel}: {drawn} boxes for {count} times {op}")
        for name in ("vmcnt", "lgkmcnt"):
            counts = [f"{name}({c[part][name]})" for row in rows_named(schedule, "loop") for c in row for part in ("before", "after")
                      if c[part][name] is not None]
            check(sorted(counts) == sorted(t for t in texts if t.startswith(name + "(")), f"{kernel}: {counts} in {texts}")
        check(texts.count("read") == sum(e["op"] == "read" for e in schedule["loop"]), f"{kernel}: reads of bars")


# ---- notes that are not what they should be
def changed(data, name):
    with open(os.path.join(WORK, name), "wb") as file:
        file.write(data)
    return name


def test_broken_notes():
    with open(SMALL, "rb") as file:
        data = file.read()
    notes = [m.start() - 12 for m in re.finditer(rb"wavetile\0", data) if struct.unpack_from("<I", data, m.start() - 12)[0] == 9]
    check(len(notes) == 13, f"{len(notes)} notes")
    first = notes[0]
    newer = data[:first + 8] + struct.pack("<I", 2) + data[first + 12:]
    refused("another version", ["type 2"], changed(newer, "newer.co"))
    other = data.replace(b"wavetile\0", b"wavetale\0")
    refused("notes of others", ["other.co has no schedule", "wt::sched::run"], changed(other, "other.co"))
    refused("a kernel without notes", ["pipeline_deep in other.co has no schedule"], "other.co", "pipeline_deep")
    lost = data[:first + 24] + struct.pack("<Q", 1 << 40) + data[first + 32:]
    refused("an address nowhere", ["of no function"], changed(lost, "lost.co"))
    cluster = data[:first + 34] + b"\0" + data[first + 35:]
    refused("no clusters", ["describes no pipeline"], changed(cluster, "cluster.co"))
    seed = int(os.environ.get("WT_TEST_SEED", "24"), 0)
    print(f"seed {seed}")
    rng = random.Random(seed)
    for trial in range(60):
        broken = bytearray(data)
        for _ in range(rng.randint(1, 6)):
            broken[rng.randrange(first, notes[-1] + 200)] = rng.choice((0, 1, 2, 63, 255, rng.randrange(256)))
        changed(bytes(broken), "broken.co")
        for options in ([], ["--json"], ["pipeline_deep", "--out", "broken.svg"]):
            result = run("broken.co", *options)
            good = result.returncode == 0 and result.stderr == ""
            check(good or (result.returncode == 2 and len(result.stderr.splitlines()) == 1),
                  f"trial {trial} {options}: {result.returncode} {result.stderr!r}")


# ---- mistakes
def test_mistakes():
    refused("nothing", ["name a kernel, as in: wavetile schedule"])
    refused("unknown kernel", ['no kernel is named "nope"', "wavetile isa --list"], "nope")
    refused("a typing error", ["did you mean gemm_4wave_256x256"], "gemm_4wave_256x265")
    refused("unknown kernel of a file", ['is named "pipeline_depe"', "did you mean pipeline_deep"], SMALL, "pipeline_depe")
    refused("two kernels", ['"b" is one word too many'], "a", "b")
    refused("no file", ['cannot read "no.co"'], "no.co")
    refused("no code object", ["schedule_cli.py: ", "neither an ELF file nor an offload bundle", "what wavetile hipcc --kernel writes"], __file__)
    refused("target", ['--target is "gfx90a"', "gfx942 or gfx950"], SMALL, "--target", "gfx90a")
    refused("another target", ["gfx950", "gfx942"], SMALL, "--target", "gfx942")
    refused("title without picture", ["--title", "--out"], SMALL, "pipeline_deep", "--title", "x")
    refused("JSON and picture", ["--json and --out"], SMALL, "pipeline_deep", "--json", "--out", "x.svg")
    refused("many pictures", ["--out draws one schedule, and there are 12"], SMALL, "--out", "x.svg")
    refused("folder missing", ["nowhere/x.svg", "does not exist"], SMALL, "pipeline_deep", "--out", "nowhere/x.svg")
    test_full_disk(SMALL, "pipeline_deep")


start("schedule")
test_by_hand()
test_flow(SMALL)
for kernel in [name for name, _ in run_isa_list() if name in WITH_VECTORS]:
    test_flow(kernel)
test_pictures()
test_broken_notes()
test_mistakes()
test_machine_code()
test_scales()
test_applied_scales()
test_attention_comment()
test_pages_and_tables_say_which_loops_are_schedules()
finish()
