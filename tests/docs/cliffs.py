# SPDX-License-Identifier: MIT
"""Holds when the table of docs/guide/cliffs.md is what docs/validation/cliffs.csv says: a row for each reason, and in it the
neighbours of each chip. With --write the table is written anew. Usage: cliffs.py SOURCE_FOLDER [--write]"""
import csv
import pathlib
import sys

BEGIN, END = "<!-- cliffs -->\n", "<!-- end of cliffs -->"
CHIPS = {"mi355x": "MI355X", "mi300x": "MI300X"}

root = pathlib.Path(sys.argv[1])
with open(root / "docs/validation/cliffs.csv", newline="") as file:
    rows = list(csv.DictReader(file))


def cell(chip, reason):
    """This maps sweeps to their neighbours: `gemm-k` 64 to 65, 128 to 129; `gemm-fp8-k` 64 to 65."""
    sweeps = {}
    for row in rows:
        if (row["chip"], row["reason"]) == (chip, reason):
            sweeps.setdefault(row["sweep"], []).append(f"{row['from']} to {row['to']}")
    return "; ".join(f"`{sweep}` {', '.join(pairs)}" for sweep, pairs in sweeps.items())


reasons = list(dict.fromkeys(row["reason"] for row in rows))
table = [f"| reason | {' | '.join(CHIPS.values())} |", "|---" * (1 + len(CHIPS)) + "|"]
table += [f"| {reason} | {' | '.join(cell(chip, reason) for chip in CHIPS)} |" for reason in reasons]
wanted = "\n" + "\n".join(table) + "\n\n"

page = root / "docs/guide/cliffs.md"
text = page.read_text()
begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
if "--write" in sys.argv:
    page.write_text(text[:begin] + wanted + text[end:])
elif text[begin:end] != wanted:
    sys.exit("failed: docs/guide/cliffs.md has another table than docs/validation/cliffs.csv: run "
             "python3 tests/docs/cliffs.py . --write")
print(f"{len(rows)} cliffs, {len(reasons)} reasons")
sys.exit(0 if rows else 1)
