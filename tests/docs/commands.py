# SPDX-License-Identifier: MIT
"""Holds when every command that a page prints can be run as it stands there, from the folder the page says, and says what the
page quotes. Usage: commands.py ROOT BUILD WORK PAGE, or commands.py PAGES PREFIX WORK PAGE installed

A page prints commands in fenced blocks of two kinds. In ```sh all lines are commands, and each must end with status 0. In
```console commands follow "$ ", and the lines below quote their output: "..." stands for any number of lines, and what stands
between two of these is contained in the output line by line. There a command may fail if the next one is `echo $?`.
What looks like a command anywhere else fails the test, so that none is left out by accident.

The folder is a copy of the repository: links to its files, and to the build folder as `build`; or a copy of the folder of the
installed pages, where nothing of the repository is found. The commands of a page share one shell, one after the other. A picture that they draw into docs/pictures must be the committed one."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What is printed and not run here, with the reason. A command that stands on no page any more fails the test of README.md.
NOT_RUN = {
    "./dev demo": "it builds the command and the kernels from nothing; .ci/run runs it before the tests",
    "./dev build": "it builds into the folder in which the tests run",
    "./dev package": "it builds everything anew; a test of its own unpacks the packages and uses them",
    "./dev mutate": "it builds the sources anew for every mutation",
    "sudo apt install": "it changes the machine",
    "cmake -G Ninja": "it is what configures the build that runs this test, under another name",
    "cmake --build": "it builds everything anew",
    "wavetile bench validate --write": "it takes an hour and a half, and writes the page; the line with --only is run",
    "wavetile bench targets --write": "it takes more than an hour, and writes the page; the line with --only is run",
}

HOME = "/home/you/wavetile"  # what pages call the top folder of the repository where a command prints it
LOOKS_LIKE_A_COMMAND = re.compile(
    r"(\$ |[A-Z][A-Z_]+=\S+ +\S|\./|build/bin/|wavetile +[a-z]|sudo |apt|git |cmake |ninja |ctest |pkg-config |cc |gcc |clang|hipcc )")


def fences(text):
    """Yields (language, lines) of each fenced block, and (None, lines) of what stands between them."""
    language, lines = None, []
    for line in text.splitlines():
        fence = re.match(r"```(\S*)$", line)
        if not fence:
            lines.append(line)
        else:
            yield language, lines
            language, lines = (fence[1] if language is None else None), []
    yield language, lines


class Command:
    def __init__(self, text, kind):
        self.text, self.kind, self.quoted = text, kind, []
        self.bare = re.sub(r"\s+#.*$", "", text, flags=re.MULTILINE).strip()

    def reason_not_to_run(self):
        return next((reason for start, reason in NOT_RUN.items() if (self.bare + " ").startswith(start + " ")), None)


def commands_of(page, failures):
    commands = []
    for language, lines in fences(page.read_text()):
        if language == "sh":
            for text in re.sub(r"\\\n\s*", "", "\n".join(lines)).split("\n"):
                if text.strip() and not text.lstrip().startswith("#"):
                    commands.append(Command(text.strip(), "sh"))
        elif language == "console":
            for line in lines:
                if line.startswith("$ "):
                    commands.append(Command(line[2:], "console"))
                elif commands and commands[-1].kind == "console":
                    commands[-1].quoted.append(line)
                else:
                    failures.append(f"a ```console block begins with \"{line}\", which is no command")
        elif language in (None, ""):
            for line in lines:
                indented = line.startswith("    ") or language == ""
                if indented and LOOKS_LIKE_A_COMMAND.match(line.lstrip()) and not re.match(r"\s*wavetile \w+:", line):
                    failures.append(f"\"{line.strip()}\" looks like a command: put it into a ```sh or ```console block")
    return commands


def make_folder(root, build, work, link="build"):
    """Makes a stand-in for the repository, in which commands may write; `link` leads to the build folder."""
    shutil.rmtree(work, ignore_errors=True)
    (work / "docs/pictures").mkdir(parents=True)
    for entry in root.iterdir():
        if entry.name not in ("docs", "build", ".git") and entry.resolve() != build:
            (work / entry.name).symlink_to(entry)
    for entry in (root / "docs").iterdir():
        if entry.name != "pictures":
            (work / "docs" / entry.name).symlink_to(entry)
    (work / link).symlink_to(build)
    (work / ".home").mkdir()
    (work / ".bin").mkdir()
    (work / ".bin/python3").symlink_to(sys.executable)  # the one that has NumPy


def run(commands, build, work, installed=False):
    """Runs them in one shell, and yields each with its status and output."""
    script = ["last=0"]
    for i, command in enumerate(commands):
        script.append(f"(exit $last); {{ {command.bare}\n}} >.out.{i} 2>&1 </dev/null\nlast=$?; echo $last >.status.{i}")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WT_SIM")}
    environment["PATH"] = f"{work}/.bin:{build if installed else work / 'build'}/bin:{environment['PATH']}"
    environment["HOME"] = str(work / ".home")
    subprocess.run(["bash", "-c", "\n".join(script)], cwd=work, env=environment, check=False)
    for i, command in enumerate(commands):
        status = work / f".status.{i}"
        output = (work / f".out.{i}").read_text(errors="replace") if status.exists() else ""
        yield command, int(status.read_text()) if status.exists() else None, output.replace(str(work), HOME).replace(str(build), f"{HOME}/build")


def missing(output, quoted):
    """Returns the first quoted lines that the output does not contain, or None."""
    parts = [[]]
    for line in quoted:
        if line == "...":
            parts.append([])
        elif line or parts[-1]:
            parts[-1].append(line.rstrip())
    lines = [line.rstrip() for line in output.splitlines()]
    for part in parts:
        while part and not part[-1]:
            part.pop()
        if part and not any(lines[i:i + len(part)] == part for i in range(len(lines))):
            return "\n".join(part)
    return None


def check_page(root, build, work, page, installed, failures):
    commands = [command for command in commands_of(page, failures) if not command.reason_not_to_run()]
    make_folder(root, build, work, ".installed" if installed else "build")
    results = list(run(commands, build, work, installed))
    for (command, status, output), following in zip(results, [*results[1:], None]):
        may_fail = command.kind == "console" and following and following[0].bare == "echo $?"
        if status is None:
            failures.append(f"{command.bare}: was not reached")
        elif status and not may_fail:
            failures.append(f"{command.bare}: ended with status {status} and said:\n{output}")
        absent = missing(output, command.quoted)
        if status is not None and absent is not None:
            failures.append(f"{command.bare}: the page quotes\n{absent}\nbut it said\n{output}")
    for picture in (work / "docs/pictures").glob("*.svg"):
        committed = root / "docs/pictures" / picture.name
        if not committed.exists() or picture.read_bytes() != committed.read_bytes():
            failures.append(f"docs/pictures/{picture.name} is not what the page's command draws; run it again")
    return len(commands)


def check_reasons(root, failures):
    """Every command that is not run here stands on a page, and those that .ci/run runs stand there."""
    integration = (root / ".ci/run").read_text().splitlines()
    pages = [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
    printed = [command.bare + " " for page in pages for command in commands_of(page, [])]
    for start, reason in NOT_RUN.items():
        if ".ci/run" in reason and start not in integration:
            failures.append(f"\"{start}\" is not a line of .ci/run, although that is why it is not run here")
        if not any(command.startswith(start + " ") for command in printed):
            failures.append(f"\"{start}\" stands on no page: take it out of the list of commands that are not run")


def main():
    root, build, work = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    page, installed, failures = root / sys.argv[4], sys.argv[5:] == ["installed"], []
    count = check_page(root, build, work, page, installed, failures)
    if sys.argv[4] == "README.md" and not installed:
        check_reasons(root, failures)
    for failure in failures:
        print("failed:", failure, file=sys.stderr)
    print(f"{count} commands, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
