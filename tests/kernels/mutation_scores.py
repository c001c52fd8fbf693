# SPDX-License-Identifier: MIT
"""Writes the mutation scores into docs/check.md, from what the tests print:

    ctest --test-dir build -R kernels.mutation -V | python3 tests/kernels/mutation_scores.py docs/check.md

Rows of kernels that have not been run stay as they are; new ones come last.
"""
import re
import sys

ROW = re.compile(r"^\| `(\w+)` \| (gfx\d+) \|(.*)\|$")


def numbers(row):
    """Tried, wrong and reported of removed waits and barriers; tried and reported of weaker waits and s_nop."""
    return [int(n) for n in re.findall(r"\d+", ROW.match(row).group(3))]


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as page:
        text = page.read()
    new = {}
    for line in sys.stdin:
        found = re.search(r"score: (\| `.*\|)$", line.rstrip())
        if found:
            row = found.group(1)
            new[ROW.match(row).groups()[:2]] = row
    written, lines, sums = len(new), [], [0] * 10
    for line in text.split("\n"):
        match = ROW.match(line)
        if match:
            line = new.pop(match.groups()[:2], line)
            sums = [a + b for a, b in zip(sums, numbers(line))]
        lines.append(line)
    for row in new.values():
        lines.insert(len(lines) - (not lines[-1]), row)
        sums = [a + b for a, b in zip(sums, numbers(row))]
    summary = (
        f"Of {sums[0] + sums[3]} waits and barriers removed in the rows below, {sums[1] + sums[4]} give a wrong result or a fault, "
        f"and each of these is\nreported; of {sums[6]} weakened waits {sums[7]} are, among them all that change a result; of "
        f"{sums[8]} shortened `s_nop`, {sums[9]} are.\n"
    )
    text = re.sub(r"Of \d+ waits and barriers removed .*?`s_nop`, \d+ are\.\n", lambda _: summary, "\n".join(lines), flags=re.DOTALL)
    with open(path, "w", encoding="utf-8") as page:
        page.write(text)
    print(f"{written} rows written")


main()
