# SPDX-License-Identifier: MIT
"""Mutations change code alone, each where it says, and the table of covering tests has a row for every file that is mutated.
Usage: selftest.py REPOSITORY"""
import glob
import os
import re
import sys

import covering
import mutations

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from checks import check, finish  # noqa: E402

SAMPLE = '''// a < b
#include <limits+1.h>
#define ROWS(X)             \\
  X(s_min, 32_64, d = a < b; e = 0x1f)
#if 1 + 1
#endif
static char name[16 * 2]; static char text[8];
int f(int *p, unsigned q) {
  if (p && !*p) return ~q;
  for (int i = 0; i < 3; ++i) call("1 + 1", '+');
  q <<= 2 /* -1 */;
  return -1;
}
'''
# These are the line, what goes, and what comes.
WANTED = {
    (4, "<", "<="), (4, "<", ">="), (4, "0x1f", "0x20"), (4, "0x1f", "0x1e"), (4, "e = 0x1f", ""),
    (7, "16", "17"), (7, "16", "15"), (7, "2", "3"), (7, "2", "1"), (7, "*", "/"), (7, "*", "+"),
    (9, "&&", "||"), (9, "!", ""), (9, "~", ""), (9, "p && !*p", "!(p && !*p)"),
    (10, "0", "1"), (10, "<", "<="), (10, "<", ">="), (10, "3", "4"), (10, "3", "2"), (10, "++", "--"),
    (10, "call(\"1 + 1\", '+')", ""), (11, "<<=", ">>="), (11, "2", "3"), (11, "2", "1"), (11, "q <<= 2 /* -1 */", ""),
    (12, "1", "2"), (12, "1", "0"),
}

drawn = set()
for alternatives in mutations.mutations_of(SAMPLE):
    for m in alternatives:
        drawn.add((SAMPLE.count("\n", 0, m.begin) + 1, SAMPLE[m.begin : m.end], m.new))
for missing in WANTED - drawn:
    check(False, f"the mutation {missing} is not drawn")
for extra in drawn - WANTED:
    check(False, f"the mutation {extra} is drawn")

for path in sorted(glob.glob(sys.argv[1] + "/s[ir][mc]/**/*.c", recursive=True)):
    name = os.path.relpath(path, sys.argv[1])
    check(covering.pattern_of(name), f"tests/mutate/covering.py names no tests for {name}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for alternatives in mutations.mutations_of(text):
        for m in alternatives:
            check(m.apply(text).count("\n") == text.count("\n"), f"a mutation of {name} moves its lines: {m}")
for pattern in covering.COVERING.values():
    re.compile(pattern)
finish()
