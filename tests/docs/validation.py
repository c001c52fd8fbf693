# SPDX-License-Identifier: MIT
"""Holds when docs/validation.md has every row of docs/validation/published.csv, with its kernel, shape, measurement and role, in
order and no others, and the chart is a picture. Predictions are not looked at. Usage: validation.py SOURCE_FOLDER"""
import csv
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

root = pathlib.Path(sys.argv[1])
failures = []
with open(root / "docs/validation/published.csv", newline="") as file:
    rows = list(csv.DictReader(file))
page = (root / "docs/validation.md").read_text()
table = page[page.index("<!-- rows -->"):page.index("<!-- end of rows -->")]

shown, group = [], None
for line in table.splitlines():
    if line.startswith("### "):
        group = line[4:]
    elif line.startswith("| ") and not line.startswith("| published |"):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        shown.append((group, cells))

if len(shown) != len(rows):
    failures.append(f"the page has {len(shown)} rows, the table {len(rows)}: run wavetile bench validate --write docs")
for row, (group, cells) in zip(rows, shown):
    what, kernel, chip, kind, shape, measured, role = *cells[:6], cells[9]
    wanted = (row["group"], row["what"], f"`{row['kernel']}`", row["chip"], row["type"], row["shape"], row["role"])
    if (group, what, kernel, chip, kind, shape, role) != wanted or measured.split()[0] != f"{float(row['measured']):.10g}":
        failures.append(f"the page has {group} {cells}, the table {row}")
        break
    if row["kernel"] == "none" and cells[6] != "-":
        failures.append(f"a prediction without a kernel: {cells}")

chart = ElementTree.parse(root / "docs/validation/errors.svg").getroot()
if chart.tag != "{http://www.w3.org/2000/svg}svg":
    failures.append(f"errors.svg is {chart.tag}")

for failure in failures:
    print("failed:", failure, file=sys.stderr)
print(f"{len(rows)} rows, {len(failures)} failed")
sys.exit(1 if failures or not rows else 0)
