# SPDX-License-Identifier: MIT
"""Holds when docs/validation.md has every row of docs/validation/published.csv, with its kernel, shape, measurement and role, in
order and no others, the chart is a picture, and the table of errors of measured binaries follows from docs/validation/binaries.csv.
Other predictions are not looked at. Usage: validation.py SOURCE_FOLDER"""
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

# These are the errors of measured binaries, by group and role.
with open(root / "docs/validation/binaries.csv", newline="") as file:
    binaries = list(csv.DictReader(file))
groups = {}
for row in binaries:
    error = 100 * (float(row["predicted_us"]) / float(row["measured_us"]) - 1)
    if abs(error - float(row["error_percent"])) > 1e-3 or not row["source"]:
        failures.append(f"binaries.csv says {row}")
    groups.setdefault((row["group"], row["role"]), []).append((error, row["name"]))
table = page[page.index("<!-- binaries -->"):page.index("<!-- end of binaries -->")]
shown = {}
for line in table.splitlines()[3:]:
    group, role, *cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    shown[group, role] = cells
for key, rows_of in groups.items():
    errors = [error for error, _ in rows_of]
    worst, name = max(rows_of, key=lambda row: abs(row[0]))
    wanted = [str(len(errors)), f"{sum(map(abs, errors)) / len(errors):.1f}%", f"{sum(errors) / len(errors):+.1f}%", f"{worst:+.1f}%", name]
    if shown.pop(key, None) != wanted:
        failures.append(f"the page's errors of {key} are not {wanted}")
if shown or not groups:
    failures.append(f"the page has errors of binaries that are not in the table: {list(shown)}")

for failure in failures:
    print("failed:", failure, file=sys.stderr)
print(f"{len(rows)} rows, {len(failures)} failed")
sys.exit(1 if failures or not rows else 0)
