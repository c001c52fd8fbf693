# SPDX-License-Identifier: MIT
"""Holds when every folder of examples/ has a program whose main file says in its head comment how it is built, in lines "// Build:
COMMAND", and these lines build it. Lines that a page prints, too, are run with that page (commands.py); the others are run here.
Usage: examples.py ROOT BUILD WORK"""
import pathlib
import re
import sys

import commands

DATA = {"measured"}  # folders without a program, as examples/README.md says


def head(path):
    return re.match(r"(?://[^\n]*\n)*", path.read_text())[0]


def main():
    root, build, work = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    failures, lines = [], []
    for folder in sorted(path for path in (root / "examples").iterdir() if path.is_dir() and path.name not in DATA):
        of_folder = [line for path in sorted(folder.glob("*")) if path.suffix in (".c", ".hip")
                     for line in re.findall(r"^// Build: (.*)$", head(path), re.MULTILINE)]
        for path in folder.glob("*.c"):
            if re.search(r"^int main\(", path.read_text(), re.MULTILINE) and path.name != "pictures.c" and "// Build: " not in head(path):
                failures.append(f"{path.relative_to(root)}: its head comment does not say how it is built (// Build: COMMAND)")
        if not of_folder:
            failures.append(f"examples/{folder.name} has no file whose head comment says how it is built")
        lines += of_folder
    pages = [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
    printed = {command.bare for page in pages for command in commands.commands_of(page, [])}
    commands.make_folder(root, build, work)
    own = [commands.Command(line, "sh") for line in lines if line not in printed]
    for command, status, output in commands.run(own, build, work):
        if status != 0 or output:
            failures.append(f"{command.bare}: ended with status {status} and said:\n{output}")
    for failure in failures:
        print("failed:", failure, file=sys.stderr)
    print(f"{len(lines)} build lines, {len(own)} of them run here, {len(failures)} failures")
    sys.exit(1 if failures or not own else 0)


if __name__ == "__main__":
    main()
