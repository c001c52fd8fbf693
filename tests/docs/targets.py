# SPDX-License-Identifier: MIT
"""Holds when docs/targets.md has every row of docs/validation/targets.csv, with its kernel, shape and target, in order and no others,
and says of each target that is missed what limits the kernel and what would mend it; and when guides that name a prediction of the
page name the same one.
Usage: targets.py SOURCE_FOLDER"""
import csv
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
failures = []
with open(root / "docs/validation/targets.csv", newline="") as file:
    rows = list(csv.DictReader(file))
page = (root / "docs/targets.md").read_text()
part = page[page.index("<!-- targets -->"):page.index("<!-- end of targets -->")]

shown, group = [], None
for line in part.splitlines():
    if line.startswith("## "):
        group = line[3:]
    elif line.startswith("| ") and not line.startswith("| work |"):
        shown.append((group, [cell.strip() for cell in line.strip("|").split(" | ")]))

if len(shown) != len(rows):
    failures.append(f"the page has {len(shown)} rows, the table {len(rows)}: run wavetile bench targets --write docs")
for row, (group, cells) in zip(rows, shown):
    wanted = (row["group"], row["what"], f"`{row['kernel']}`", row["chip"], row["type"], row["shape"])
    bound = cells[5].split()
    if (group, *cells[:5]) != wanted or bound[:2] != ["at", row["role"]] or float(bound[2]) != float(row["measured"]):
        failures.append(f"the page has {group} {cells}, the table {row}")
        break
    if cells[7] != "missed":
        continue
    name = re.escape(f"- **{row['what']}, {row['type']}, {row['shape']}** is limited by ")
    if not re.search(name + r".+\n  \*What would mend it:\* .+\n", part):
        failures.append(f"the page does not say what limits {row['what']} at {row['shape']}, or what would mend it (note in targets.csv)")

# These are rows of guides: their beginning, the cell (from 0) that holds a prediction, how it is written, and the page's row.
FIGURES = (
    ("gemm_block.md", "| MI355X | 4096 x 4096 x 4096 | of 128 x 128 in B |", 3, lambda v: f"{v / 1000:.1f} thousand",
     ("gemm_block", "mi355x", "f8e4m3", "4096x4096x4096 repeats=1"), "cycles"),
    ("gemm_block.md", "| MI355X | 4096 x 4096 x 4096 | powers of two of 128 x 128 in B |", 3, lambda v: f"{v / 1000:.1f} thousand",
     ("gemm_block", "mi355x", "f8e4m3", "4096x4096x4096 repeats=1 powers=1"), "cycles"),
    ("gemm_block.md", "| MI300X | 16384 x 7168 x 2304 | of 128 x 128 in B |", 4, lambda v: f"{v:,.0f}",
     ("gemm_block", "mi300x", "f8e4m3", "16384x7168x2304"), "TFLOP/s"),
    ("gemm_mx.md", "| MXFP4 | MXFP4 | 58", 4, lambda v: f"{v / 1000:.1f} thousand",
     ("gemm_mx", "mi355x", "f4e2m1", "4096x4096x4096 repeats=1 shuffled=1"), "cycles"),
    ("gemm_mx.md", "| MXFP4 | MXFP4 | 58", 5, lambda v: f"{v:.0f}%",
     ("gemm_mx", "mi355x", "f4e2m1", "4096x4096x4096 repeats=1 shuffled=1"), "% in the loop"),
    ("gemm_mx.md", "| MXFP8 | MXFP8 | 91", 5, lambda v: f"{v:.0f}%",
     ("gemm_mx", "mi355x", "f8e4m3", "4096x4096x4096 repeats=1 shuffled=1"), "% in the loop"),
    ("grouped.md", "| 8, 8192 | 4096, 7168 | FP8 into BF16 |", 3, lambda v: f"{v / 1000:.0f}k cycles",
     ("grouped", "mi355x", "f8e4m3", "8x1024x4096x7168"), "cycles"),
    ("grouped.md", "| 8, 8192 | 4096, 7168 | FP8 with scales for 128 x 128 of w, into BF16 |", 3, lambda v: f"{v / 1000:.0f}k",
     ("grouped", "mi355x", "f8e4m3", "8x1024x4096x7168 block=1"), "cycles"),
    ("grouped.md", "| 8, 8192 | 4096, 7168 | FP8 with powers of two for 128 x 128 of w, into BF16 |", 3, lambda v: f"{v / 1000:.0f}k",
     ("grouped", "mi355x", "f8e4m3", "8x1024x4096x7168 block=1 powers=1"), "cycles"),
    ("grouped.md", "| 8, 8192 | 4096, 7168 | MXFP4 into BF16 |", 3, lambda v: f"{v / 1000:.0f}k",
     ("grouped", "mi355x", "f4e2m1", "8x1024x4096x7168"), "cycles"),
)
for guide, start, cell, write, row, unit in FIGURES:
    lines = [line for line in (root / "docs/guide" / guide).read_text().splitlines() if line.startswith(start)]
    values = [cells[6] for _, cells in shown if cells[1] == f"`{row[0]}`" and tuple(cells[2:5]) == row[1:] and cells[5].endswith(unit)]
    if len(lines) != 1 or len(values) != 1:
        failures.append(f"{guide} has {len(lines)} rows that begin with \"{start}\", and the page {len(values)} of {row} in {unit}")
        continue
    said, predicted = lines[0].strip("| ").split(" | ")[cell], write(float(values[0]))
    if said != predicted:
        failures.append(f"{guide} says {said} where docs/targets.md has {predicted}: {lines[0]}")

for failure in failures:
    print("failed:", failure, file=sys.stderr)
print(f"{len(rows)} rows, {len(failures)} failed")
sys.exit(1 if failures or not rows else 0)
