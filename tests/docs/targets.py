# SPDX-License-Identifier: MIT
"""Holds when docs/targets.md has every row of docs/validation/targets.csv, with its kernel, shape and target, in order and no others,
and says of each target that is missed what limits the kernel and what would mend it. Predictions are not looked at.
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

for failure in failures:
    print("failed:", failure, file=sys.stderr)
print(f"{len(rows)} rows, {len(failures)} failed")
sys.exit(1 if failures or not rows else 0)
