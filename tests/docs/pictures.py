# SPDX-License-Identifier: MIT
"""Holds when every `wavetile` command that a page shows says what the page quotes, and draws the picture that is committed.
Lines of output follow "$ wavetile ..." in a fenced block, "..." standing for any number of them; a block may quote
the end of the output only. Usage: pictures.py WAVETILE ROOT WORK_FOLDER"""
import pathlib
import re
import shlex
import subprocess
import sys

wavetile, root, work = (pathlib.Path(word).resolve() for word in sys.argv[1:])
work.mkdir(parents=True, exist_ok=True)
failures = []
checks = 0


def check(condition, sentence):
    global checks
    checks += 1
    if not condition:
        failures.append(sentence)


def run(command):
    words = shlex.split(command)[1:]
    return subprocess.run([wavetile, *words], cwd=work, capture_output=True, text=True)


def contains(lines, quoted):
    """Whether the quoted lines stand in `lines` in order, together except at "..."."""
    if not quoted:
        return True
    gap = quoted.index("...") if "..." in quoted else len(quoted)
    part, rest = quoted[:gap], quoted[gap + 1:]
    return any(lines[i:i + gap] == part and contains(lines[i + gap:], rest) for i in range(len(lines) - gap + 1))


drawn = set()
for page in [root / "README.md", *root.glob("docs/**/*.md")]:
    text = page.read_text()
    name = page.relative_to(root)
    for command, picture in re.findall(r"^(?: {4}|\$ )(wavetile .*--out (docs/pictures/\S+))$", text, re.MULTILINE):
        (work / picture).parent.mkdir(parents=True, exist_ok=True)
        result = run(command)
        check(result.returncode == 0, f"{name}: {command} failed: {result.stderr}")
        same = result.returncode == 0 and (work / picture).read_bytes() == (root / picture).read_bytes()
        check(same, f"{name}: {picture} is not what its command draws; run it again")
        check(f"pictures/{pathlib.Path(picture).name})" in text, f"{name}: {picture} is drawn but not shown")
        drawn.add(root / picture)
    for block in re.findall(r"^```\n(\$ wavetile .*?)^```$", text, re.MULTILINE | re.DOTALL):
        for command, output in re.findall(r"^\$ (.*)\n((?:[^$].*\n|\n)*)", block, re.MULTILINE):
            result = run(command)
            check(result.returncode == 0, f"{name}: {command} failed: {result.stderr}")
            check(contains(result.stdout.splitlines(), output.splitlines()), f"{name}: {command} says something else")
for picture in [*root.glob("docs/pictures/grid_*.svg"), *root.glob("docs/pictures/layout_*.svg")]:
    check(picture in drawn, f"{picture.relative_to(root)} is drawn by no command of a page")

for failure in failures:
    print("failed:", failure, file=sys.stderr)
print(f"{checks} checks, {len(failures)} failed")
sys.exit(1 if failures or not checks else 0)
