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
        f"In the rows below, {sums[0] + sums[3]} waits and barriers are removed. The removal of {sums[1] + sums[4]} gives a wrong result or "
        f"a fault, and each of these\nremovals is reported. {sums[6]} waits are weakened; {sums[7]} of these changes are reported, among them "
        f"all that change a result. {sums[8]}\n`s_nop` are shortened, and {sums[9]} of these changes are reported as errors; "
        "findings of the class `table` are not counted.\n"
    )
    summary_before = r"In the rows below, \d+ waits and barriers are removed\. .*?`s_nop` are shortened, and \d+ of these changes are reported as errors; findings of the class `table` are not counted\.\n"
    text = re.sub(summary_before, lambda _: summary, "\n".join(lines), flags=re.DOTALL)
    with open(path, "w", encoding="utf-8") as page:
        page.write(text)
    print(f"{written} rows written")


main()
