# SPDX-License-Identifier: MIT
"""`wavetile layout`: its tables, counts and pictures against the published layouts, bank rules and swizzles as written here,
and every mistake a user can make: exit code, one sentence that names it, no file left behind.
Usage: layout_cli.py WAVETILE WORK_FOLDER"""

import re

from cli import SVG, check, finish, read_picture, refused, run, start, test_full_disk, titled_rectangles

CONFLICT = "#cf222e"


# ---- maps: element (row, column) of a block -> (lane, item), CDNA4 ISA 7.1.4
def operand_place(rows, depth, blocks, block, row, k, run_length=None):
    per_lane = rows * depth * blocks // 64
    if run_length and run_length < per_lane:  # two runs, half of K apart
        half = depth // 2
        return row + rows * (k % half // run_length), k // half * run_length + k % run_length
    return row + rows * (block + blocks * (k // per_lane)), k % per_lane


def accumulator_place(rows, blocks, block, row, column, height):
    groups = 64 // rows
    if rows // height >= groups:
        group = row // height
        return column + rows * (group % groups), block * rows * rows // 64 + group // groups * height + row % height
    beside = groups * height // rows
    return column + rows * (block % beside + beside * (row // height)), block // beside * height + row % height


OPERANDS = [  # options, type, rows, K, blocks, run
    (["--dtype", "bf16"], 16, 32, 1, 8), (["--dtype", "bf16", "--rows", 32, "--chip", "mi300x"], 32, 16, 1, 8),
    (["--dtype", "f32"], 16, 16, 1, 4), (["--dtype", "i8", "--chip", "mi300x"], 16, 64, 1, 16),
    (["--dtype", "fp8e4m3"], 16, 128, 1, 16), (["--dtype", "fp8e5m2", "--rows", 32], 32, 64, 1, 16),
    (["--dtype", "fp8e4m3", "--chip", "mi300x"], 16, 64, 1, 16), (["--dtype", "fp4e2m1"], 16, 128, 1, 32),
    (["--dtype", "bf16", "--k", 16], 16, 16, 1, 4), (["--dtype", "f16", "--k", 8, "--rows", 32], 32, 8, 1, 4),
    (["--dtype", "fp6e2m3", "--k", 128], 16, 128, 1, 32), (["--dtype", "xf32", "--k", 8, "--chip", "mi300x"], 16, 8, 1, 2),
    (["--dtype", "f64", "--k", 4], 16, 4, 1, 1), (["--dtype", "f16", "--k", 4, "--rows", 4, "--blocks", 16], 4, 4, 16, 4),
    (["--dtype", "i8", "--k", 4, "--rows", 32, "--blocks", 2], 32, 4, 2, 4), (["--dtype", "f32", "--k", 1, "--blocks", 4], 16, 1, 4, 1),
    (["--dtype", "f64", "--k", 4, "--rows", 4, "--blocks", 4], 4, 4, 4, 1)]
ACCUMULATORS = [([], 16, 1, 4), (["--rows", 32, "--dtype", "i32"], 32, 1, 4), (["--rows", 32, "--blocks", 2], 32, 2, 4),
                (["--blocks", 4, "--chip", "mi300x"], 16, 4, 4), (["--rows", 4, "--blocks", 16], 4, 16, 4),
                (["--dtype", "f64"], 16, 1, 1), (["--dtype", "f64", "--rows", 4, "--blocks", 4], 4, 4, 1)]


def expand(text):
    """"17.0-3" -> [(17, 0), ..., (17, 3)]."""
    lane, items = text.split(".")
    first, _, last = items.partition("-")
    return [(int(lane), item) for item in range(int(first), int(last or first) + 1)]


def read_tables(text):
    """Returns per block the rows of cells."""
    blocks, rows = [], None
    for line in text.splitlines()[2:]:
        words = line.split()
        if words[:1] == ["k"] or words[:1] == ["column"]:
            rows = []
            blocks.append(rows)
        elif words and words[0].isdigit():
            rows.append([cell for word in words[1:] for cell in expand(word)])
    return blocks


def maps():
    for options, rows, depth, blocks, length in OPERANDS:
        yield (["operand", *options], [[[operand_place(rows, depth, blocks, b, r, k, length) for k in range(depth)]
                                        for r in range(rows)] for b in range(blocks)])
    for options, rows, blocks, height in ACCUMULATORS:
        yield (["accumulator", *options], [[[accumulator_place(rows, blocks, b, r, c, height) for c in range(rows)]
                                            for r in range(rows)] for b in range(blocks)])


def test_maps():
    for options, wanted in maps():
        result = run(*options)
        check(result.returncode == 0 and result.stderr == "", f"{options}: {result.returncode} {result.stderr!r}")
        check(read_tables(result.stdout) == wanted, f"{options}: the table {result.stdout}")


def test_lanes():
    """A lane's lines name the places of its elements."""
    for options, wanted in maps():
        bits = {"f64": 64, "f32": 32, "xf32": 32, "i32": 32, "f16": 16, "bf16": 16, "i8": 8, "fp8e4m3": 8, "fp8e5m2": 8,
                "fp6e2m3": 6, "fp4e2m1": 4}[options[options.index("--dtype") + 1] if "--dtype" in options else "f32"]
        for lane in (0, 17, 63):
            result = run(*options, "--lane", lane)
            got, registers = [], []
            for line in result.stdout.splitlines()[3:]:
                m = re.fullmatch(r"  v([\d-]+) +(?:block (\d+), )?row (\d+), (?:k|column) ([\d-]+)", line)
                check(m is not None, f"{options} lane {lane}: {line!r}")
                first, _, last = m[4].partition("-")
                got += [(int(m[2] or 0), int(m[3]), c) for c in range(int(first), int(last or first) + 1)]
                first, _, last = m[1].partition("-")
                registers += range(int(first), int(last or first) + 1)
            places = {item: (b, r, c) for b, block in enumerate(wanted) for r, row in enumerate(block)
                      for c, (at, item) in enumerate(row) if at == lane}
            check(got == [places[item] for item in range(len(places))], f"{options} lane {lane}: {got}")
            check(registers == list(range((len(places) * bits + 31) // 32)), f"{options} lane {lane}: registers {registers}")


# ---- LDS: lanes of each phase and banks (nod-ai/amd-shark-ai docs/empirical-lds, HazyResearch/HipKittens)
def consecutive(lanes):
    return [list(range(first, first + lanes)) for first in range(0, 64, lanes)]


def twice(groups):
    return [[lane + half for first, last in group for lane in range(first, last + 1)] for half in (0, 32) for group in groups]


B128_950 = twice([[(0, 3), (12, 15), (20, 27)], [(4, 11), (16, 19), (28, 31)]])
EIGHT = twice([[(0, 3), (20, 23)], [(4, 7), (16, 19)], [(8, 11), (28, 31)], [(12, 15), (24, 27)]])
RULES = {("mi355x", "read_b32"): (4, 64, consecutive(64)), ("mi300x", "read_b32"): (4, 32, consecutive(32)),
         ("mi355x", "read_b64"): (8, 64, consecutive(32)), ("mi300x", "read_b64"): (8, 32, consecutive(16)),
         ("mi355x", "read_b128"): (16, 64, B128_950), ("mi300x", "read_b128"): (16, 32, EIGHT),
         ("mi355x", "read_b96"): (12, 32, EIGHT), ("mi300x", "read_b96"): (12, 32, EIGHT),
         ("mi355x", "write_b64"): (8, 32, consecutive(16)), ("mi300x", "write_b64"): (8, 32, consecutive(16)),
         ("mi300x", "write_b128"): (16, 32, consecutive(8))}
SWIZZLES = {"none": lambda o: o, "row128_pairs": lambda o: o ^ (o >> 8 & 7) << 4,
            "row128_pairs_8wave": lambda o: o ^ ((o >> 8 & 7) ^ ((o >> 9 ^ o >> 10) & 1)) << 4,
            "bf16_16x16_write_b64": lambda o: o ^ (o % 512 >> 7) << 3,
            "bf16_16x32_read_b128": lambda o: o ^ (o % 1024 >> 9) << 5}
CASES = [(chip, access, swizzle, rows, row_bytes) for chip, access in RULES for swizzle in SWIZZLES
         for rows, row_bytes in ((16, 128), (32, 128), (8, 512))]


def places_of(access, swizzle, rows, row_bytes):
    unit = max(4, 1 << (access - 1).bit_length())
    return [SWIZZLES[swizzle](lane % rows * row_bytes + lane // rows * unit) for lane in range(64)]


def cycles_of(rule, places):
    size, banks, phases = rule
    result = []
    for lanes in phases:
        dwords = {places[lane] // 4 + i for lane in lanes for i in range(size // 4)}
        result.append(max(sum(d % banks == bank for d in dwords) for bank in range(banks)))
    return result


def lds_options(chip, access, swizzle, rows, row_bytes):
    return ["lds", "--chip", chip, "--access", access, "--swizzle", swizzle, "--rows", rows, "--row-bytes", row_bytes]


def test_conflicts():
    refused_pairs = shown = 0
    for chip, access, swizzle, rows, row_bytes in CASES:
        rule = RULES[chip, access]
        if 64 // rows * (16 if rule[0] == 12 else rule[0]) > row_bytes and rows > 1:
            continue
        name = f"{chip} {access} {swizzle} {rows} x {row_bytes}"
        result = run(*lds_options(chip, access, swizzle, rows, row_bytes))
        if swizzle == "bf16_16x16_write_b64" and rule[0] > 8:
            check(result.returncode == 2 and "keeps 8 bytes together" in result.stderr, f"{name}: {result.stderr!r}")
            refused_pairs += 1
            continue
        check(result.returncode == 0, f"{name}: {result.stderr!r}")
        before = cycles_of(rule, places_of(rule[0], "none", rows, row_bytes))
        after = cycles_of(rule, places_of(rule[0], swizzle, rows, row_bytes))
        rest = result.stdout.split("no swizzle", 1)[1].splitlines()[1:]
        for phase, lanes in enumerate(rule[2]):
            words = rest[phase].split()
            ranges = [tuple(map(int, word.split("-"))) for word in words[1:] if "-" in word]
            check(sorted(lanes) == [l for a, b in ranges for l in range(a, b + 1)], f"{name}: phase {phase} is {words}")
            numbers = [int(word) for word in words[1:] if "-" not in word]
            check(numbers == ([before[phase]] if swizzle == "none" else [before[phase], after[phase]]), f"{name}: {numbers}")
        totals = [sum(before) - len(before)] + ([] if swizzle == "none" else [sum(after) - len(after)])
        check([int(word) for word in rest[len(before)].split()[2:]] == totals, f"{name}: {rest[len(before)]!r} not {totals}")
        shown += 1
    check(shown > 100 and refused_pairs > 5, f"{shown} cases shown, {refused_pairs} refused")


def test_library_swizzles():
    """swizzle_for_row frees the reads of operands from conflicts, on both chips and for both fragments."""
    for chip in ("mi355x", "mi300x"):
        for row_bytes in (64, 128, 256, 512, 1024):
            for rows in (16, 32):
                result = run("lds", "--chip", chip, "--row-bytes", row_bytes, "--rows", rows)
                check(result.returncode == 0 and result.stdout.splitlines()[-1].split()[-1] == "0",
                      f"{chip} {row_bytes} {rows}: {result.stdout}")


# ---- pictures
def test_map_pictures():
    for options, wanted in maps():
        result = run(*options, "--lane", 5, "--out", "map.svg", "--title", "<A & B>")
        check(result.returncode == 0 and result.stdout == "", f"{options}: {result.stdout!r} {result.stderr!r}")
        root = read_picture("map.svg")
        check(root.find(SVG + "title").text == "<A & B>", f"{options}: the title")
        shown = []
        for text, _ in titled_rectangles(root):
            lane, first, last, row, a, b = map(int, re.findall(r"\d+", re.sub(r", k|, column", ",", text)))
            shown += [(row, column, lane, first + column - a) for column in range(a, b + 1)]
            check(last - first == b - a, f"{options}: {text}")
        all_elements = [(r, c, *place) for block in wanted for r, row in enumerate(block) for c, place in enumerate(row)]
        check(sorted(shown) == sorted(all_elements), f"{options}: the picture shows other elements")
        picked = [text for text, rect in titled_rectangles(root) if "stroke-ink" in (rect.get("class") or "")]
        check(picked and all(text.startswith("lane 5,") for text in picked), f"{options}: picked {picked}")


def test_lds_pictures():
    for case in CASES[::7]:
        chip, access, swizzle, rows, row_bytes = case
        rule = RULES[chip, access]
        result = run(*lds_options(*case), "--out", "lds.svg")
        if result.returncode != 0:
            check(result.returncode == 2, f"{case}: {result.stderr}")
            continue
        titles = titled_rectangles(read_picture("lds.svg"))
        sides = ["none"] if swizzle == "none" else ["none", swizzle]
        check(len(titles) == 64 * len(sides), f"{case}: {len(titles)} lanes")
        phase_of = {lane: phase for phase, lanes in enumerate(rule[2]) for lane in lanes}
        for side, name in enumerate(sides):
            places = places_of(rule[0], name, rows, row_bytes)
            colours = {}
            for lane in range(64):
                text, rect = titles[64 * side + lane]
                mine = {places[lane] // 4 + i for i in range(rule[0] // 4)}
                others = {places[o] // 4 + i for o in rule[2][phase_of[lane]] for i in range(rule[0] // 4)}
                collides = any(a % rule[1] == b % rule[1] and a != b for a in mine for b in others)
                check(text.startswith(f"lane {lane}, phase {phase_of[lane]}, byte 0x{places[lane]:x}"), f"{case}: {text}")
                check((rect.get("stroke") == CONFLICT) == collides, f"{case}: lane {lane} of {name} is framed wrongly")
                colours.setdefault(phase_of[lane], set()).add(rect.get("fill"))
            check(all(len(c) == 1 for c in colours.values()) and len(set.union(*colours.values())) == len(colours),
                  f"{case}: colours {colours}")


def test_list():
    """Everything listed can be shown."""
    section, count = "", 0
    for line in run("--list").stdout.splitlines():
        if not line.startswith(" "):
            section = line.split(":")[0]
            continue
        words = line.split()
        chip, words = words[-1], [w for w in words if w not in ("mi355x", "mi300x", "any", "rows")]
        if words[0] == "--swizzle" and words[1] == "bf16_16x16_write_b64":
            words += ["--access", "read_b64"]
        result = run(section, *words, "--chip", chip)
        check(result.returncode == 0, f"{line}: {result.stderr}")
        count += 1
    check(count > 90, f"{count} layouts are listed")


# ---- mistakes
def test_mistakes():
    bf16 = ["operand", "--dtype", "bf16"]
    refused("nothing", ["operand, accumulator or lds"])
    refused("unknown layout", ["\"bank\"", "lds"], "bank")
    refused("two layouts", ["unexpected argument \"lds\""], "operand", "lds")
    refused("no type", ["--dtype bf16"], "operand")
    refused("type", ['--dtype is "f99"; pass bf16', "--list"], "operand", "--dtype", "f99")
    refused("rows", ["of 17 rows"], *bf16, "--rows", 17)
    refused("k", ["K 64"], *bf16, "--k", 64)
    refused("k of gfx950 on gfx942", ["mi300x has no bf16", "K 32"], *bf16, "--k", 32, "--chip", "mi300x")
    refused("xf32 on gfx950", ["xf32"], "operand", "--dtype", "xf32", "--k", 8)
    refused("blocks", ["in 3 blocks"], *bf16, "--blocks", 3)
    refused("lane", ["--lane is \"64\"", "0 to 63"], *bf16, "--lane", 64)
    refused("negative lane", ["--lane is \"-1\""], *bf16, "--lane", -1)
    refused("lane as text", ["--lane is \"first\""], *bf16, "--lane", "first")
    refused("accumulator k", ["--k is for wavetile layout operand"], "accumulator", "--k", 4)
    refused("chip", ["--chip is \"mi999\"", "mi300x"], *bf16, "--chip", "mi999")
    refused("operand swizzle", ["--swizzle is for wavetile layout lds"], *bf16, "--swizzle", "none")
    refused("lds type", ["--dtype is for wavetile layout operand and accumulator"], "lds", "--dtype", "bf16")
    refused("access", ["--access is \"read_b7\"", "--list"], "lds", "--access", "read_b7")
    refused("copy", ["never conflict"], "lds", "--access", "copy_b128")
    refused("access of the other chip", ["mi300x has no ds_read_b64_tr"], "lds", "--access", "read_b64_tr", "--chip", "mi300x")
    refused("swizzle", ["--swizzle is \"spiral\""], "lds", "--swizzle", "spiral")
    refused("row without a solution", ["--row-bytes is 2048", "for_row"], "lds", "--row-bytes", 2048)
    refused("row of odd bytes", ["--row-bytes is 100", "multiples of 16"], "lds", "--row-bytes", 100, "--swizzle", "none")
    refused("row too short", ["--row-bytes is 32", "64 bytes of each"], "lds", "--row-bytes", 32, "--swizzle", "none")
    refused("row no power", ["--row-bytes is 144", "power of two"], "lds", "--row-bytes", 144, "--swizzle", "row128_pairs")
    refused("rows no power", ["--rows is 12"], "lds", "--rows", 12)
    refused("tile too large", ["exceed a tile of 65536"], "lds", "--row-bytes", 8192, "--swizzle", "none")
    refused("torn", ["keeps 8 bytes together", "read_b128 takes 16"], "lds", "--swizzle", "bf16_16x16_write_b64")
    refused("picture too tall", ["at most 64 lines", "over 125"], "lds", "--rows", 32, "--row-bytes", 1024, "--out", "x.svg")
    refused("title without picture", ["--title", "--out"], "lds", "--title", "x")
    refused("unknown option", ["\"--colour\""], "lds", "--colour", "red")
    refused("folder missing", ["nowhere/x.svg", "does not exist"], *bf16, "--out", "nowhere/x.svg")
    refused("output is a device", ["/dev/full", "not a regular file"], "lds", "--out", "/dev/full")
    test_full_disk("accumulator")


start("layout")
test_maps()
test_lanes()
test_conflicts()
test_library_swizzles()
test_map_pictures()
test_lds_pictures()
test_list()
test_mistakes()
finish()
