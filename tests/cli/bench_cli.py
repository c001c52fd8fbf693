# SPDX-License-Identifier: MIT
"""`wavetile bench`: errors, bounds, order and targets of a small table against what is computed here from the printed predictions,
the same in every run and when a run goes on from kept predictions; the page and the chart; cliffs of a small sweep; the speeds of a small
`bench sim`; and every mistake a user can make.
Usage: bench_cli.py WAVETILE WORK_FOLDER"""

import csv
import io
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from cli import WAVETILE, WORK, check, finish, refused, run, start

HEADER = "group,chip,source,what,kernel,type,shape,quantity,measured,bound,role,note\n"
ROWS = [("rates", "mi355x", "S", "a rate", "micro_exp", "f32", "1", "each", "8", "1", "choose", ""),
        ("rates", "mi300x", "S", "another", "micro_b32_crowd", "f32", "32 stride=4", "span", "500", "1", "compare", "as published"),
        ("products", "mi355x", "\"S, 2\"", "small tiles", "gemm_4wave_64x64", "bf16", "128x128x256", "tflops", "9", "", "compare", ""),
        ("products", "mi355x", "\"S, 2\"", "large tiles", "gemm_4wave_128x128", "bf16", "128x128x256 window=2", "tflops", "10", "", "compare", ""),
        ("products", "mi355x", "\"S, 2\"", "small tiles", "gemm_4wave_64x64", "bf16", "128x128x256", "cycles", "8000", "50", "compare", ""),
        ("products", "mi355x", "T", "somebody's", "none", "bf16", "128x128x256", "tflops", "99", "", "compare", "no such kernel")]
PAGE = "# Before\n\n<!-- errors -->\nold\n<!-- end of errors -->\nbetween\n<!-- order -->\n<!-- end of order -->\n<!-- rows -->\n<!-- end of rows -->\nafter\n"


def write(name, text):
    with open(os.path.join(WORK, name), "w") as file:
        file.write(text)


def read(name):
    with open(os.path.join(WORK, name)) as file:
        return file.read()


def table(rows):
    return HEADER + "".join(",".join(row) + "\n" for row in rows)


def test_validate():
    shutil.rmtree(os.path.join(WORK, "docs"), ignore_errors=True)
    os.makedirs(os.path.join(WORK, "docs/validation"))
    write("docs/validation.md", PAGE)
    write("docs/validation/binaries.csv", "measured_us,predicted_us,error_percent,role,group,name\n20,21,5,compare,theirs,a\n,30,,compare,unmeasured,b\n")
    first = run("validate", "--rows", "rows.csv", "--keep", "kept", "--write", "docs")
    check(first.returncode == 0, f"exit code {first.returncode}: {first.stderr}")
    check(len(read("kept").splitlines()) == 5, f"kept: {read('kept')}")
    page = read("docs/validation.md")
    check(page.startswith("# Before\n") and page.endswith("after\n") and "between\n" in page and "old" not in page, f"page: {page}")
    cells = [[c.strip() for c in line.strip("|").split(" | ")] for line in page.splitlines() if line.startswith("| ") and "`" in line]
    check([c[0] for c in cells] == [row[3] for row in ROWS], f"rows of the page: {cells}")
    values = [None if c[6] == "-" else float(c[6]) for c in cells]
    check(values[-1] is None and None not in values[:-1], f"predictions: {values}")
    for row, cell, value in zip(ROWS, cells, values):
        if value is None:
            continue
        error = 100 * (value / float(row[8]) - 1)
        check(abs(float(cell[7].strip("%")) - error) < 0.6, f"{row[3]}: {cell[7]}, expected {error}")
        wanted = "" if not row[9] else f"{row[9]}: {'yes' if abs(error) <= float(row[9]) else 'no'}"
        check(cell[8] == wanted, f"{row[3]}: {cell[8]!r}, expected {wanted!r}")
    swapped = (values[2] < values[3]) != (9 < 10)
    check(f"- products: {0 if swapped else 1} of 1 pairs in the published order" in first.stdout, f"order: {first.stdout}")
    check(re.search(r"rates +cycles each +choose +1 rows +0\.0% +1 of 1", first.stdout), f"errors: {first.stdout}")
    picture = ElementTree.parse(os.path.join(WORK, "docs/validation/errors.svg")).getroot()
    titles = " ".join(element.text or "" for element in picture.iter())
    check("rates" in titles and "products" in titles, "groups of the chart")
    check("binaries: theirs" in titles and "unmeasured" not in titles, f"measured binaries in the chart: {titles}")
    kept = read("kept").splitlines(True)
    write("kept", "".join(kept[:2]) + kept[2][:9])  # interrupted within a line
    again = run("validate", "--rows", "rows.csv", "--keep", "kept")
    check(again.stdout == first.stdout and "1 of 6" not in again.stderr and "3 of 6" in again.stderr, f"kept: {again}")
    chart = read("docs/validation/errors.svg")
    write("docs/validation.md", PAGE)
    check(run("validate", "--rows", "rows.csv", "--write", "docs").stdout == first.stdout, "another run, other output")
    check(read("docs/validation.md") == page and read("docs/validation/errors.svg") == chart, "another run, another page or chart")
    only = run("validate", "--rows", "rows.csv", "--only", "rates")
    check(only.returncode == 0 and "micro_exp" in only.stdout and "gemm" not in only.stdout, f"only: {only}")
    part = run("validate", "--rows", "rows.csv", "--only", "rates", "--keep", "kept", "--write", "docs")
    check(part.stdout == only.stdout and read("docs/validation.md") == page, f"the page of a part with all others kept: {part}")
    groups = "".join(f"20,21,5,compare,group{i},a\n" for i in range(17))
    write("docs/validation/binaries.csv", "measured_us,predicted_us,error_percent,role,group,name\n" + groups)
    refused("groups that the chart has no place for", ["binaries.csv", "16 groups"], "validate", "--rows", "rows.csv", "--keep", "kept", "--write", "docs")
    check(read("docs/validation.md") == page and read("docs/validation/errors.svg") == chart, "a refused file changed the page or the chart")


def test_targets():
    rows = [("loop", "mi355x", "theirs: 2", "low", "gemm_4wave_64x64", "bf16", "128x128x256", "cycles", "1", "", "most", "more work-groups"),
            ("loop", "mi355x", "", "high", "gemm_4wave_64x64", "bf16", "128x128x256", "overall", "0.0001", "", "least", "")]
    write("targets.csv", table(rows))
    result = run("targets", "--rows", "targets.csv")
    lines = result.stdout.splitlines()
    check(result.returncode == 0 and "1 of 2 targets are met" in result.stdout, f"targets: {result}")
    missed = [i for i, line in enumerate(lines) if "low" in line and line.endswith("missed")]
    check(len(missed) == 1 and re.match(r" +limited by the grid: 4 work-groups leave 98% of the 256", lines[missed[0] + 1]), f"a cause: {lines}")
    check(lines[missed[0] + 2] == "    what would mend it: more work-groups", f"the work that would mend it: {lines}")
    os.makedirs(os.path.join(WORK, "docs"), exist_ok=True)
    write("docs/targets.md", "# Before\n<!-- targets -->\nold\n<!-- end of targets -->\nafter\n")
    result = run("targets", "--rows", "targets.csv", "--write", "docs", "--keep", "kept_targets", "--only", "nothing")
    check(result.returncode == 2 and "old" in read("docs/targets.md"), f"no rows, and a page: {result}")
    result = run("targets", "--rows", "targets.csv", "--write", "docs", "--keep", "kept_targets")
    page = read("docs/targets.md")
    check(result.returncode == 0 and page.startswith("# Before\n") and page.endswith("after\n") and "old" not in page, f"page: {page}")
    check("1 of 2 targets are met. Predicted by a model" in page and "\n## loop\n" in page, f"page: {page}")
    check(re.search(r"\| low \| `gemm_4wave_64x64` \| mi355x \| bf16 \| 128x128x256 \| at most 1 cycles \| \d+ \| missed \| theirs: 2 \|", page), page)
    check(re.search(r"\n- \*\*low, bf16, 128x128x256\*\* is limited by the grid: .*\n  \*What would mend it:\* more work-groups\n", page), page)
    check("**high" not in page, f"a target that is met has no reason: {page}")
    write("targets.csv", table(rows + [("other", "mi355x", "", "later", "gemm_4wave_64x64", "bf16", "64x64x256", "cycles", "1", "", "most", "")]))
    run("targets", "--rows", "targets.csv", "--write", "docs", "--keep", "kept_targets", "--only", "loop")
    check("1 of 3 targets are met, 1 are not predicted yet." in read("docs/targets.md"), f"a row not predicted: {read('docs/targets.md')}")
    check(re.search(r"\| later .* \| - \| not predicted yet \|", read("docs/targets.md")), f"a row not predicted: {read('docs/targets.md')}")
    write("docs/targets.md", "# no part\n")
    refused("rows that a page would lose", ["--only loop --write docs", "--keep"], "targets", "--rows", "targets.csv", "--only", "loop", "--write", "docs")
    refused("a page without its part", ["targets.md", "<!-- targets -->"], "targets", "--rows", "targets.csv", "--keep", "kept_targets", "--only", "loop", "--write", "docs")
    check(read("docs/targets.md") == "# no part\n", "a refused page has changed")
    refused("targets as measurements", ["targets.csv", "wavetile bench targets"], "validate", "--rows", "targets.csv")
    refused("measurements as targets", ["rows.csv", "wavetile bench validate"], "targets", "--rows", "rows.csv")


def test_products_with_block_scales():
    """Four bits take less time than eight; a type that has no such product is refused."""
    def row(what, kernel, type, shape, quantity="cycles"):
        return ("blocks", "mi355x", "", what, kernel, type, shape, quantity, "1", "", "least", "")
    rows = [row("four", "gemm_mx", "f4e2m1", "256x256x2048 repeats=1 shuffled=1 split=1"),
            row("eight", "gemm_mx", "f8e4m3", "256x256x2048 repeats=1 shuffled=1 split=1"),
            row("tiles", "gemm_block", "f8e4m3", "256x256x2048 repeats=1"),
            row("loop", "gemm_mx", "f4e2m1", "256x256x2048 repeats=1 shuffled=1 split=1", "loop")]
    write("blocks.csv", table(rows))
    result = run("targets", "--rows", "blocks.csv")
    check(result.returncode == 0 and "4 of 4 targets are met" in result.stdout, f"products with block scales: {result}")
    cycles = {}
    for line in result.stdout.splitlines():
        found = re.match(r" +(four|eight|tiles) .* predicted +(\d+) cycles", line)
        if found:
            cycles[found[1]] = int(found[2])
    check(len(cycles) == 3 and cycles["four"] < 0.75 * cycles["eight"], f"cycles: {cycles} of {result.stdout}")
    write("blocks.csv", table([row("BF16", "gemm_mx", "bf16", "256x256x2048")]))
    result = run("targets", "--rows", "blocks.csv")
    wanted = 'wavetile: "bf16" is no type of gemm_mx; pass f4e2m1, f6e2m3, f6e3m2 or f8e4m3\n'
    check(result.returncode == 2 and result.stderr.endswith(wanted), f"a type without block scales: {result}")


def test_experts():
    """The share of memory bandwidth in all launches counts the weights of the chosen experts, each once."""
    chosen = {"1x9x256x128 top_k=2": 2, "1x9x256x128 top_k=4": 4, "6x9x256x128 top_k=2": 9}
    write("experts.csv", table([("experts", "mi355x", "", "x", "experts_products", "f4e2m1", shape, quantity, "1", "", "least", "")
                                for shape in chosen for quantity in ("stream", "cycles")]))
    result = run("targets", "--rows", "experts.csv", "--keep", "kept_experts")
    lines = [line.split("\t") for line in read("kept_experts").splitlines()]
    kept = {(line[3], line[4]): float(line[5]) for line in lines if len(line) > 5}
    check(result.returncode == 0 and len(kept) == 6, f"experts: {result} {kept}")
    rates = [kept[shape, "stream"] * kept[shape, "cycles"] / experts for shape, experts in chosen.items()]
    check(rates[0] > 0 and max(rates) <= 1.000001 * min(rates), f"experts: bytes of an expert {rates}")
    write("experts.csv", table([("experts", "mi355x", "", "x", "experts_products", "bf16", "1x9x256x128", "us", "1", "", "least", "")]))
    other = run("targets", "--rows", "experts.csv")
    check(other.returncode == 2 and '"bf16" is no MX type; pass f4e2m1' in other.stderr, f"experts in bf16: {other}")


def test_layer_of_experts():
    """A predicted layer counts the operations of all tokens, and of a network that all of them pass, takes longer for more of them, and
    takes as long after others as alone, though its launches sort the same."""
    shapes = {"few": "512x4x256x128 top_k=2", "many": "4096x4x256x128 top_k=2", "shared": "4096x4x256x128 top_k=2 shared=256"}
    def kept_of(*names):
        write("layer.csv", table([("layer", "mi355x", "", name, "experts_layer", "f4e2m1", shapes[name], quantity, "1", "", "least", "")
                                  for name in names for quantity in ("tflops", "us")]))
        keep = "kept_layer_" + "_".join(names)
        result = run("targets", "--rows", "layer.csv", "--keep", keep)
        check(result.returncode == 0, f"layers: {result}")
        lines = [line.split("\t") for line in read(keep).splitlines()]
        return {(line[3], line[4]): float(line[5]) for line in lines if len(line) > 5}
    kept = kept_of(*shapes)
    alone = kept_of("shared")[shapes["shared"], "us"]
    check(len(kept) == 6 and abs(kept[shapes["shared"], "us"] / alone - 1) < 0.05, f"layers: {kept}, alone {alone}")
    work = {name: kept[shape, "tflops"] * kept[shape, "us"] for name, shape in shapes.items()}
    check(abs(work["many"] / work["few"] - 8) < 1e-3 and abs(work["shared"] / work["many"] - 2) < 1e-3, f"layers: operations {work}")
    times = {name: kept[shape, "us"] for name, shape in shapes.items()}
    check(times["few"] < times["many"] < times["shared"], f"layers: times {times}")


def test_cold_and_warm_launches_are_not_taken_as_equal():
    """A product is predicted apart on data that it has used before, and is faster then."""
    shapes = {"cold": "256x256x2048", "warm": "256x256x2048 repeats=1"}
    def cycles(*names):
        write("warm.csv", table([("warm", "mi355x", "", name, "gemm_4wave_128x128", "bf16", shapes[name], "cycles", "1", "", "least", "")
                                 for name in names]))
        return dict(re.findall(r" +(cold|warm) .* predicted +(\d+) cycles", run("targets", "--rows", "warm.csv").stdout))
    together, apart = cycles("cold", "warm"), {**cycles("cold"), **cycles("warm")}
    check(together == apart and int(apart["warm"]) < int(apart["cold"]), f"cycles: {together}, one by one {apart}")


def test_transposed_operands():
    """A row with trans_a and trans_b is the product that wavetile gemm predicts with --trans-a and --trans-b."""
    write("transposed.csv", table([("transposed", "mi355x", "", "both", "gemm_chosen", "bf16", "192x256x512 trans_a=1 trans_b=1", "cycles",
                                    "1", "", "least", "")]))
    cycles = re.findall(r" +both .* predicted +(\d+) cycles", run("targets", "--rows", "transposed.csv").stdout)
    words = [WAVETILE, "gemm", "--m", "192", "--n", "256", "--k", "512", "--dtype", "bf16", "--trans-a", "--trans-b", "--device", "sim:mi355x",
             "--predict", "--no-verify", "--csv"]
    result = subprocess.run(words, cwd=WORK, capture_output=True, text=True)
    wanted = [f"{float(row['predicted_cycles']):.0f}" for row in csv.DictReader(io.StringIO(result.stdout))]
    check(result.returncode == 0 and len(cycles) == 1 and cycles == wanted, f"cycles {cycles}, those of {result}")


def test_named_kernels_do_not_split():
    """A product by a kernel that is named has K whole unless its row says otherwise, as the kernels that others measured do."""
    shapes = {"left": "128x128x8192", "whole": "128x128x8192 split=1", "parts": "128x128x8192 split=4"}
    write("splits.csv", table([("splits", "mi355x", "", what, "gemm_4wave_64x64", "bf16", shape, "cycles", "1", "", "least", "")
                               for what, shape in shapes.items()]))
    result = run("targets", "--rows", "splits.csv")
    cycles = dict(re.findall(r" +(left|whole|parts) .* predicted +(\d+) cycles", result.stdout))
    check(len(cycles) == 3 and cycles["left"] == cycles["whole"], f"cycles: {cycles} of {result}")
    check(len(cycles) == 3 and float(cycles["parts"]) < 0.8 * float(cycles["whole"]), f"cycles: {cycles} of {result}")


def test_built_in_tables():
    """Tests the command without --rows, in a folder that has none of the project's files."""
    result = run("validate", "--only", "micro_exp")
    check(result.returncode == 0 and re.match(r"\d+ rows of published.csv, which is built in\n", result.stderr), f"{result}")
    check(len(re.findall(r"^  exp +micro_exp ", result.stdout, re.M)) == 2, f"{result.stdout}")
    refused("an empty file", ["cannot read the rows", "it is empty", "--rows FILE"], "validate", "--rows", "/dev/null")


def test_mistakes():
    def bad(name, words, **changes):
        fields = HEADER.strip().split(",")
        row = [changes.get(field, value) for field, value in zip(fields, ROWS[2])]
        write("bad.csv", table([ROWS[0], row]))
        refused(name, words, "validate", "--rows", "bad.csv")

    bad("shape", ["bad.csv:3"], shape="128xK")
    bad("shape with a bad option", ["bad.csv:3"], shape="128x128x256 window=x")
    bad("quantity", ["bad.csv:3"], quantity="watts")
    bad("role", ["bad.csv:3"], role="fit")
    bad("measured", ["bad.csv:3"], measured="-1")
    bad("fields", ["bad.csv:3"], note="a,b")
    write("bad.csv", "a,b\n")
    refused("header", ["bad.csv", HEADER.strip()], "validate", "--rows", "bad.csv")
    refused("no file", ["nowhere.csv", "--rows"], "validate", "--rows", "nowhere.csv")
    refused("what", ["\"validate\", \"binaries\", \"choice\", \"cliffs\", \"targets\" or \"sim\""], "measure")
    refused("only", ["--only is \"zzz\""], "validate", "--rows", "rows.csv", "--only", "zzz")
    refused("only of the rows that are built in", ["--only is \"zzz\""], "targets", "--only", "zzz")
    write("other", "no\ttabs\n")
    refused("kept", ["other:1", "delete"], "validate", "--rows", "rows.csv", "--keep", "other")
    for field, value, words in (("kernel", "gemm_99", "gemm_99"), ("kernel", "potato", "potato"), ("type", "f64", "f64"),
                                ("shape", "128", "m x n x k"), ("chip", "mi999", "mi999")):
        fields = HEADER.strip().split(",")
        write("bad.csv", table([[value if f == field else v for f, v in zip(fields, ROWS[2])]]))
        result = run("validate", "--rows", "bad.csv")
        check(result.returncode == 2 and words in result.stderr.splitlines()[-1], f"{field} {value}: {result}")


def test_choice():
    """Tests one layer with one row: the ratios are those of the kept cycles, and a second run predicts nothing."""
    write("layers.csv", "# a comment\nmodel,layer,n,k,source\nNone,small,64,256,made up\n")
    words = ["choice", "--layers", "layers.csv", "--most-m", 1, "--tries", 3, "--jobs", 2, "--keep", "choices"]
    result = run(*words)
    found = re.findall(r"^None +small +(\S+) +1x64x256 +(gemm_\w+) / (\d+) +(\d+)  (gemm_\w+) / (\d+) +(\d+) +([\d.]+)$", result.stdout, re.M)
    check(result.returncode == 0 and sorted(f[0] for f in found) == ["bf16", "f8e4m3"], f"a line for each type: {result}")
    with open(os.path.join(WORK, "choices")) as file:
        kept = [line.split("\t") for line in file]
    for kind, chosen, parts, cycles, best, best_parts, least, ratio in found:
        own = {(k[3], k[4]): int(k[5]) for k in kept if k[1] == kind}
        check(len(own) == 3 and own[chosen, parts] == int(cycles) and own[best, best_parts] == int(least) == min(own.values())
              and abs(int(cycles) / int(least) - float(ratio)) < 0.001, f"{kind}: {found}, kept {own}")
    check("2 of 2 shapes: chosen / best is " in result.stdout, result.stdout)
    again = run(*words)
    with open(os.path.join(WORK, "choices")) as file:
        check(len(file.readlines()) == len(kept) and re.findall("^None.*", again.stdout, re.M) == re.findall("^None.*", result.stdout, re.M),
              f"predicted again: {again}")
    for times in (1.5, 1):  # as long as one and a half times the best, then as the best
        chosen = {f[0]: f[1:3] for f in found}
        write("choices", "".join("\t".join([*k[:5], f"{(times if (k[3], k[4]) == chosen[k[1]] else 1) * 1000:.0f}"]) + "\n" for k in kept))
        lines = run(*words).stdout.splitlines()
        verdict = "met" if times == 1 else "missed"
        check(f"2 of 2 shapes: chosen / best is {times:.3f} in the median, {times:.3f} at the 95th percentile, {times:.3f} at worst." in lines
              and f"Targets: 1.00 in the median: {verdict}; 1.08 at the 95th percentile: {verdict}; 1.20 at worst: {verdict}." in lines,
              f"figures and targets: {lines}")
    write("bad.csv", "n,k\n")
    refused("layers", ["bad.csv:1", "model,layer,n,k,source"], "choice", "--layers", "bad.csv")
    write("bad.csv", "model,layer,n,k,source\na,b,0,1,c\n")
    refused("a size", ["bad.csv:2", 'n is "0"'], "choice", "--layers", "bad.csv")
    refused("tries", ["--tries is 33", "32"], "choice", "--tries", 33)
    refused("jobs", ["--jobs is \"257\"", "1 to 256"], "choice", "--jobs", 257)
    refused("device", ['--device is "hip:0"', "sim:mi355x"], "choice", "--device", "hip:0")


CLIFFS = "chip,sweep,from,to,reason\n"


def test_cliffs():
    """Tests one sweep: its ratios are those of the kept cycles, a neighbour below 0.8 is a cliff and one at 0.8 is
    none; the list of reasons that is built in names what the table of sweeps has, and each family has sweeps."""
    sweeps = list(csv.DictReader(io.StringIO(run("cliffs", "--full", "--list").stdout)))
    names = [sweep["sweep"] for sweep in sweeps]
    check(len(set(names)) == len(names), f"names of sweeps: {names}")
    check({sweep["family"] for sweep in sweeps} == {"gemm", "attention", "norm", "softmax", "cross-entropy", "activation", "quantise", "rotary"},
          f"families: {sweeps}")
    usual = run("cliffs", "--list").stdout
    check("gemm-m," in usual and "gemm-large-m," not in usual and "norm-gap," in usual, f"without --full: {usual}")
    words = ["cliffs", "--only", "rotary-heads", "--jobs", 2, "--keep", "cliffs"]
    first = run(*words, "--csv")
    points = list(csv.DictReader(io.StringIO(first.stdout)))
    steps = [int(point["step"]) for point in points]
    check(first.returncode == 0 and steps == sorted(steps) and len(steps) > 6, f"points: {first}")
    kept = {line.split("\t")[3]: line.split("\t") for line in read("cliffs").splitlines()}
    check(len(kept) == len(points), f"kept: {kept}")
    before = None
    for point in points:
        fields = kept[point["shape"]]
        speed = float(fields[5]) / float(fields[4])
        heads = int(point["step"])
        check(float(fields[5]) == 2 * 2 * 1024 * heads * 128 and point["shape"] == f"1x1024x{heads}x128", f"work: {fields}")
        check(abs(float(point["work_per_cycle"]) / speed - 1) < 1e-5, f"speed: {point}")
        check(before is None and not point["of_the_one_before"] or abs(float(point["of_the_one_before"]) / (speed / before) - 1) < 1e-5, f"{point}")
        before = speed
    # The cycles are our own: a tenth of a byte per cycle at first, then other shares of the speed before.
    shares, speed, lines = {steps[2]: 0.8, steps[3]: 0.79, steps[5]: 3, steps[6]: 0.5}, 0.1, ""
    for point in points:
        fields = kept[point["shape"]]
        speed *= shares.get(int(point["step"]), 1)
        lines += "\t".join([*fields[:4], f"{float(fields[5]) / speed:.0f}", fields[5]]) + "\n"
    write("cliffs", lines)
    write("known.csv", CLIFFS + f"mi355x,rotary-heads,{steps[2]},{steps[3]},made up for a test\nmi355x,rotary-heads,{steps[0]},{steps[1]},gone\n"
          f"mi300x,rotary-heads,{steps[5]},{steps[6]},another chip\n")
    result = run(*words, "--known", "known.csv")
    found = re.findall(r"^rotary-heads +bf16 +1x1024x(\d+)x128 -> (\d+) +\d+ +\d+ +([\d.]+)  (.*)$", result.stdout, re.M)
    check(found == [(str(steps[2]), str(steps[3]), "0.79", "made up for a test"), (str(steps[5]), str(steps[6]), "0.50", "not in the list")],
          f"cliffs: {result}")
    check(result.stderr == "", f"predicted again: {result.stderr}")
    check(f"rotary-heads from {steps[0]} to {steps[1]} is in the list, but no cliff: 1.00 of the speed before" in result.stdout, result.stdout)
    check(f"2 of {len(points) - 1} neighbours" in result.stdout and "1 of them are not in the list" in result.stdout
          and "measured on no hardware" in result.stdout, result.stdout)
    for row, wanted in (("mi355x,rotary-tails,1,2,x", 'no sweep "rotary-tails"'), ("mi355x,rotary-heads,1,3,x", "from 1 to 3"),
                        ("mi999,rotary-heads,1,2,x", 'the chip is "mi999"'), ("mi355x,rotary-heads,1,2,a,b", "without commas"),
                        ("mi355x,rotary-heads,1,2,", "a row has not the fields")):
        write("bad.csv", CLIFFS + row + "\n")
        refused(row, ["bad.csv:2", wanted], *words, "--known", "bad.csv")
    write("bad.csv", "a,b\n")
    refused("the header", ["bad.csv", CLIFFS.strip()], *words, "--known", "bad.csv")
    refused("no list", ["cannot read --known nowhere.csv"], *words, "--known", "nowhere.csv")
    refused("a family", ['--only is "zzz"', "--list"], "cliffs", "--only", "zzz")
    refused("jobs of cliffs", ["--jobs is \"0\"", "1 to 256"], "cliffs", "--jobs", 0)
    refused("a device of cliffs", ['--device is "hip:0"', "sim:mi355x"], "cliffs", "--device", "hip:0")
    refused("two forms", ["--list and --csv"], "cliffs", "--list", "--csv")


def test_sim():
    """Makes a small run: every call and every goal with a number that fits the others, and verdicts that follow from
    them."""
    result = run("sim", "--size", "128", "--repeat", "1", "--threads", "2", "--large")
    check(result.returncode == 0 and result.stderr == "", f"sim: {result}")
    text = result.stdout
    check("2 threads, best of 1" in text, f"what was measured: {text}")
    rows = re.findall(r"^  (gemm f8e4m3|attention bf16|norm bf16) +(\S+) +(.+?) +([\d.]+) +(\S+) +(\S+) +(\S+) +(\S+)$", text, re.M)
    check([row[:2] for row in rows] == [("gemm f8e4m3", "128x128x128"), ("attention bf16", "1x8x64x128"), ("norm bf16", "128x128"),
                                        ("gemm f8e4m3", "256x256x256")], f"calls: {rows}")
    for name, shape, kernel, seconds, rate, *modes in rows:
        check(kernel and float(seconds) >= 0 and 1e3 < float(rate) < 1e12, f"{name} {shape}: {seconds} s, {rate} instructions/s")
        wanted = r"-$" if shape == "256x256x256" else r"\d+\.\d\dx$"
        check(all(re.match(wanted, mode) for mode in modes), f"{name} {shape}: {modes}")
    goals = re.findall(r"^  (.+?) +([\d.]+)( s| GiB|x), goal ([\d.]+)\3: (met|missed)$", text, re.M)
    count = 6
    sgemm = re.search(r"^  sgemm f32 +128x128x128 +OpenBLAS, \S+ +([\d.]+)$", text, re.M)
    if sgemm:
        count += 1
        check(goals[0][0].endswith("of sgemm") and float(goals[0][1]) > 0, f"the ratio to sgemm: {goals[0]}")
    else:
        check("OpenBLAS is not installed" in text, f"no sgemm, and not why: {text}")
    check(len(goals) == count, f"{len(goals)} of {count} goals: {text}")
    for what, value, unit, goal, verdict in goals:
        limit = float(goal) * (1.1 if "twice the size" in what else 1)
        check(float(value) > 0, f"{what}: {value}")
        check(abs(float(value) - limit) < 0.01 or (verdict == "met") == (float(value) < limit), f"{what}: {value} of {goal}: {verdict}")
    checked = [float(g[1]) for g in goals if g[0].startswith("check mode")]
    check(checked == [float(row[5][:-1]) for row in rows[:3]], f"goals {checked} beside rows {rows}")
    first = run("sim", "--first-launch", WT_SIM_PROGRESS="1")
    check(first.returncode == 0 and first.stdout == "" and "norm" in first.stderr, f"the first launch: {first}")
    refused("an odd size", ["--size is 63"], "sim", "--size", "63")
    refused("too large", ["--size is 99998"], "sim", "--size", "99998")
    refused("too many threads", ["--threads is 5000"], "sim", "--threads", "5000")
    refused("a table for sim", ["--rows"], "sim", "--rows", "rows.csv")


start("bench")
write("rows.csv", table(ROWS))
if shutil.which("gnuplot"):
    test_validate()
else:
    print("the page and its chart are not looked at: gnuplot is not installed")
test_targets()
test_experts()
test_layer_of_experts()
test_cold_and_warm_launches_are_not_taken_as_equal()
test_products_with_block_scales()
test_transposed_operands()
test_named_kernels_do_not_split()
test_built_in_tables()
test_mistakes()
test_choice()
test_cliffs()
test_sim()
finish()
