# SPDX-License-Identifier: MIT
"""`wavetile grid`: its tables, counts and pictures against the order computed here from its definition, and every mistake a
user can make: exit code, one sentence that names it, no file left behind. Usage: grid_cli.py WAVETILE WORK_FOLDER"""

import os
import random
import re

from cli import SVG, WORK, check, finish, read_picture, refused, run, run_on_terminal, start, test_full_disk, titled_rectangles

SEED = int(os.environ.get("WT_TEST_SEED", "7"))
RESIDENT = {"mi355x": 256, "mi300x": 304}

def order_of(rows, columns, xcds=8, chunk=None, window=4, by_columns=False, chip="mi355x"):
    """Returns the tile of each work-group: positions by windows, and the ids that come to them."""
    chunk = chunk or max(1, min(RESIDENT[chip] // 8, rows * columns // xcds))
    across, along = (columns, rows) if by_columns else (rows, columns)
    tiles = [(b, a) if by_columns else (a, b)
             for first in range(0, across, window) for b in range(along) for a in range(first, min(first + window, across))]
    limit = len(tiles) // (xcds * chunk) * xcds * chunk
    order = list(tiles)
    for position in range(limit):
        xcd, inside = position // chunk % xcds, position % chunk
        order[(position // (xcds * chunk) * chunk + inside) * xcds + xcd] = tiles[position]
    return order


def loads(order, begin, end, tile_m, tile_n):
    """Per XCD the (tile rows, tile columns) of work-groups begin .. end - 1, and the matrix rows of all."""
    needs = []
    for xcd in range(8):
        mine = [order[i] for i in range(begin, end) if i % 8 == xcd]
        needs.append((len({m for m, _ in mine}), len({n for _, n in mine})))
    return needs, sum(a * tile_m + b * tile_n for a, b in needs)


def least(rows, columns, count, tile_m, tile_n):
    total = 0
    for xcd in range(8):
        mine = count // 8 + (xcd < count % 8)
        total += min((a * tile_m + b * tile_n for a in range(1, rows + 1) for b in range(1, columns + 1) if a * b >= mine),
                     default=0) if mine else 0
    return total


def options(rows, columns, settings, chip, per_cu=1):
    words = ["--tiles-m", rows, "--tiles-n", columns, "--chip", chip, "--per-cu", per_cu]
    for name, value in settings.items():
        words += ["--by-columns"] * bool(value) if name == "by_columns" else ["--" + name, value]
    return words


CASES = [(16, 16, {}, "mi355x"), (16, 16, {"chunk": 8}, "mi355x"), (12, 14, {}, "mi300x"), (16, 16, {"xcds": 1, "window": 1}, "mi355x"),
         (13, 15, {"chunk": 4, "window": 5, "by_columns": True}, "mi300x"), (40, 16, {"chunk": 38, "window": 6}, "mi300x"),
         (1, 1, {}, "mi355x"), (64, 5, {"xcds": 4, "chunk": 3, "window": 100}, "mi355x")]


def test_tables():
    for rows, columns, settings, chip in CASES:
        name = f"{rows} x {columns} {settings} {chip}"
        result = run(*options(rows, columns, settings, chip), "--tile-m", 128)
        check(result.returncode == 0 and result.stderr == "", f"{name}: {result.returncode} {result.stderr!r}")
        order = order_of(rows, columns, **settings, chip=chip)
        at = {tile: i for i, tile in enumerate(order)}
        lines = result.stdout.splitlines()
        first = lines.index("work-group of each tile") + 1
        got = [[int(word) for word in line.split()] for line in lines[first:first + rows]]
        check(got == [[at[m, n] for n in range(columns)] for m in range(rows)], f"{name}: the table of ids")
        first = lines.index("XCD of each tile") + 1
        got = [line.strip() for line in lines[first:first + rows]]
        check(got == ["".join(str(at[m, n] % 8) for n in range(columns)) for m in range(rows)], f"{name}: the table of XCDs")
        plain, total = order_of(rows, columns, 1, 1, 1), [0, 0, 0]
        for begin in range(0, len(order), RESIDENT[chip]):
            end = min(begin + RESIDENT[chip], len(order))
            needs, sum_here = loads(order, begin, end, 128, 256)
            cells = [f"{a}+{b}" for a, b in needs]
            wanted = [str(begin // RESIDENT[chip] + 1), f"{begin}-{end - 1}", *cells]
            check(any(line.split()[:10] == wanted and line.split()[-1] == str(sum_here) for line in lines),
                  f"{name}: no line {wanted} ... {sum_here} in {result.stdout}")
            total[0] += sum_here
            total[1] += loads(plain, begin, end, 128, 256)[1]
            total[2] += least(rows, columns, end - begin, 128, 256)
        check([int(n) for n in re.findall(r"(\d+)", lines[-1])] == total, f"{name}: {lines[-1]!r}, expected {total}")


def test_sizes():
    a = run("--m", 4000, "--n", 1000, "--tile-n", 128)
    b = run("--tiles-m", 16, "--tiles-n", 8, "--tile-n", 128)
    check("C is 4000 x 1000: 16 x 8 tiles of 256 x 128" in a.stdout, f"sizes: {a.stdout}")
    check(a.stdout.splitlines()[1:] == b.stdout.splitlines()[1:], "--m and --tiles-m disagree")
    check("hold 512 work-groups" in run("--m", 1, "--n", 1, "--per-cu", 2).stdout, "--per-cu 2")
    large = ["--tiles-m", 2048, "--tiles-n", 2048, "--tile-m", 16, "--tile-n", 16]
    shown = run_on_terminal(*large)
    check("too large for a terminal" in shown and "16368 more" in shown, f"the largest grid on a terminal: {shown}")
    lines = run("--tiles-m", 400, "--tiles-n", 300, "--tile-m", 16, "--tile-n", 16).stdout.splitlines()
    first = lines.index("work-group of each tile") + 1
    check(all(len(line.split()) == 300 for line in lines[first:first + 400]), "a file receives fewer ids than there are tiles")
    first = lines.index("XCD of each tile") + 1
    check(all(len(line.strip()) == 300 for line in lines[first:first + 400]), "a file receives fewer XCDs than there are tiles")
    check(any(line.startswith("    469 ") for line in lines), "a file receives fewer rounds than there are")


def read_tiles(name):
    """Returns the picture, and per tile: work-group, XCD, colour, whether pale, and its place."""
    root = read_picture(name)
    tiles = {}
    for title, shape in titled_rectangles(root):
        group, xcd, m, n = map(int, re.fullmatch(r"work-group (\d+) on XCD (\d+): tile \((\d+), (\d+)\)", title).groups())
        check((m, n) not in tiles, f"{name}: tile {m}, {n} is drawn twice")
        tiles[m, n] = (group, xcd, shape.get("fill"), shape.get("opacity"), float(shape.get("x")), float(shape.get("y")))
    return root, tiles


def test_pictures():
    for rows, columns, settings, chip in CASES:
        name = f"{rows} x {columns} {settings} {chip}"
        result = run(*options(rows, columns, settings, chip), "--out", "grid.svg")
        check(result.returncode == 0 and "XCD of each tile" not in result.stdout, f"{name}: {result}")
        root, tiles = read_tiles("grid.svg")
        order = order_of(rows, columns, **settings, chip=chip)
        check({tile: value[0] for tile, value in tiles.items()} == {tile: i for i, tile in enumerate(order)}, f"{name}: tiles")
        colours = {}
        for (m, n), (group, xcd, colour, opacity, x, y) in tiles.items():
            check(xcd == group % 8 and colours.setdefault(xcd, colour) == colour, f"{name}: {group} is on {xcd} in {colour}")
            check((opacity is not None) == (group >= RESIDENT[chip]), f"{name}: opacity of {group}")
            right, below = tiles.get((m, n + 1)), tiles.get((m + 1, n))
            check(not right or (right[4] > x and right[5] == y), f"{name}: tile {m}, {n} and its right neighbour")
            check(not below or (below[4] == x and below[5] > y), f"{name}: tile {m}, {n} and the one below")
        check(len(set(colours.values())) == len(colours), f"{name}: two XCDs share a colour")
        texts = [text.text for text in root.iter(SVG + "text")]
        needs, rows_loaded = loads(order, 0, min(RESIDENT[chip], len(order)), 256, 256)
        for xcd, (a, b) in enumerate(needs):
            here = texts.index(f"XCD {xcd}")
            check(texts[here + 2:here + 4] == [str(a), str(b)], f"{name}: XCD {xcd} needs {texts[here:here + 4]}")
        check(texts[texts.index("this order") + 1] == str(rows_loaded), f"{name}: rows loaded")
        check("Order:" in root.find(SVG + "desc").text, f"{name}: the description")


def test_marks():
    small = ["--tiles-m", 8, "--tiles-n", 16, "--out", "grid.svg", "--mark"]
    marks = {}
    for mark in ("numbers", "path", "none"):
        run(*small, mark)
        root, tiles = read_tiles("grid.svg")
        texts = [text.text for text in root.iter(SVG + "text")]
        marks[mark] = (len([t for t in texts if t.isdigit()]), len(list(root.iter(SVG + "polyline"))))
        if mark == "path":
            points = [tuple(map(float, p.split(","))) for p in next(root.iter(SVG + "polyline")).get("points").split()]
            wanted = [order_of(8, 16)[i] for i in range(0, 128, 8)]
            check([(tiles[t][4] + 17, tiles[t][5] + 17) for t in wanted] == points, f"the path is {points}")
    check(marks["numbers"][0] == marks["none"][0] + 128, f"numbers: {marks}")
    check(marks["path"][1] == 2 and marks["none"][1] == marks["numbers"][1] == 0, f"paths: {marks}")


def test_titles():
    """Any bytes give well-formed XML; what is allowed comes back as it was."""
    rng = random.Random(SEED)
    titles = [b"<&>\"'", "Größe 矩陣 \U0001f600".encode(), b"]]>", b"%s%n", b" ", b"\x01\x1f\xff\xfe", b"\xc0\x80", b"\xe2\x82",
              b"\xed\xa0\x80", b"\xef\xbf\xbf", b"\xf4\x90\x80\x80"] + [bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 40))) for _ in range(60)]
    for title in titles:
        result = run("--tiles-m", 2, "--tiles-n", 2, "--out", "grid.svg", b"--title=" + title)
        check(result.returncode == 0, f"title {title!r}: {result.stderr!r}")
        got = read_picture("grid.svg").find(SVG + "title").text
        try:
            text = title.decode()
        except UnicodeDecodeError:
            text = None
        if text is None:
            check("\ufffd" in got, f"title {title!r} became {got!r}")
        elif min(text) >= " " and not set("\ufffe\uffff") & set(text):
            check(got == text, f"title {title!r} became {got!r}")


def test_mistakes():
    size = ["--m", 4096, "--n", 4096]
    refused("no size", ["--m or --tiles-m"])
    refused("no n", ["--n or --tiles-n"], "--m", 5)
    refused("both sizes", ["--m and --tiles-m"], *size, "--tiles-m", 4)
    refused("chip", ["--chip is \"mi999\"", "mi300x"], *size, "--chip", "mi999")
    refused("zero window", ["--window is \"0\""], *size, "--window", 0)
    refused("negative chunk", ["--chunk is \"-1\""], *size, "--chunk", -1)
    refused("text", ["--xcds is \"eight\""], *size, "--xcds", "eight")
    refused("per CU", ["--per-cu is 33", "32 waves"], *size, "--per-cu", 33)
    refused("mark", ["--mark is \"dots\"", "numbers, path or none"], *size, "--out", "x.svg", "--mark", "dots")
    refused("mark without picture", ["--mark", "--out"], *size, "--mark", "path")
    refused("title without picture", ["--title", "--out"], *size, "--title", "x")
    refused("too many tiles", ["2049 x 2048", "4194304"], "--tiles-m", 2049, "--tiles-n", 2048)
    refused("more tiles than 32 bits", ["--tiles-m is 2147483647"], "--tiles-m", 2147483647, "--tiles-n", 2)
    refused("too many rows of tiles", ["--tiles-n is 4194304", "512"], "--tiles-m", 1, "--tiles-n", 4194304, "--tile-n", 512)
    refused("too many tiles to draw", ["16384", "16512"], "--tiles-m", 129, "--tiles-n", 128, "--out", "x.svg")
    refused("unknown option", ["\"--colour\""], *size, "--colour", "red")
    refused("positional", ["\"extra\""], *size, "extra")
    refused("folder missing", ["nowhere/x.svg", "does not exist"], *size, "--out", "nowhere/x.svg")
    refused("output is a folder", [WORK, "not a regular file"], *size, "--out", WORK)
    refused("output is a device", ["/dev/full", "not a regular file"], *size, "--out", "/dev/full")
    test_full_disk("--m", 4096, "--n", 4096)


start("grid")
print("seed", SEED)
test_tables()
test_sizes()
test_pictures()
test_marks()
test_titles()
test_mistakes()
finish()
