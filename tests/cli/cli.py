# SPDX-License-Identifier: MIT
"""Has what the tests of the command share: running it, counting checks, reading its pictures, and the form of its refusals.
Their first two arguments are the program and a folder to work in, which is emptied."""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import xml.etree.ElementTree as ElementTree

WAVETILE, WORK = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SVG = "{http://www.w3.org/2000/svg}"
_command = []
_failures = _checks = 0


def start(*command, keep=False):
    """From here on `run` means `wavetile COMMAND`; the folder is emptied unless its files are still wanted."""
    _command[:] = command
    if keep:
        return
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)


def check(condition, what):
    global _failures, _checks
    _checks += 1
    if not condition:
        _failures += 1
        print("failed:", what, file=sys.stderr)


def finish():
    """Exits with the verdict; a test that checked nothing fails."""
    print(f"{_checks} checks, {_failures} failed")
    sys.exit(1 if _failures or not _checks else 0)


def run(*arguments, **environment):
    """In the work folder; arguments may be bytes."""
    env = dict(os.environ, **environment)
    for name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        env.pop(name, None)
    words = [WAVETILE, *_command, *[a if isinstance(a, bytes) else str(a) for a in arguments]]
    return subprocess.run(words, cwd=WORK, env=env, capture_output=True, text=True)


def run_on_terminal(*arguments, columns=80):
    """Returns what the command prints on a terminal of so many columns; it must succeed."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    process = subprocess.Popen([WAVETILE, *_command, *map(str, arguments)], cwd=WORK, stdout=follower, env=env)
    os.close(follower)
    text = b""
    try:
        while part := os.read(leader, 4096):
            text += part
    except OSError:  # how a terminal ends
        pass
    os.close(leader)
    check(process.wait(60) == 0, f"exit code {process.returncode} on a terminal")
    return text.decode()


def refused(name, words, *arguments, code=2, **environment):
    """One sentence with these words, nothing printed, no file left behind."""
    before = sorted(os.listdir(WORK))
    result = run(*arguments, **environment)
    check(result.returncode == code, f"{name}: exit code {result.returncode}, expected {code}: {result.stderr}")
    lines = result.stderr.strip().splitlines()
    check(len(lines) == 1 and lines[0].startswith("wavetile: "), f"{name}: not one sentence: {result.stderr!r}")
    for word in words:
        check(word in result.stderr, f"{name}: {result.stderr!r} does not say {word!r}")
    check(result.stdout == "", f"{name}: printed {result.stdout!r}")
    check(sorted(os.listdir(WORK)) == before, f"{name}: left {set(os.listdir(WORK)) - set(before)}")


def test_full_disk(*arguments):
    """Tests a full disk, in the guise of a limit on file sizes: the old picture stays."""
    with open(os.path.join(WORK, "kept.svg"), "w") as file:
        file.write("kept")
    before = sorted(os.listdir(WORK))
    words = " ".join(["trap '' XFSZ; ulimit -f 1;", f"'{WAVETILE}'", *_command, *map(str, arguments), "--out kept.svg"])
    result = subprocess.run(["bash", "-c", words], cwd=WORK, capture_output=True, text=True)
    check(result.returncode == 1 and result.stdout == "" and "kept.svg: cannot be written" in result.stderr, f"full: {result}")
    with open(os.path.join(WORK, "kept.svg")) as file:
        check(file.read() == "kept" and sorted(os.listdir(WORK)) == before, "a failed write touched the folder")


def read_picture(name):
    """Returns the root of a picture, all of which lies inside it and which is described."""
    root = ElementTree.parse(os.path.join(WORK, name)).getroot()
    width, height = float(root.get("width")), float(root.get("height"))
    for shape in root.iter():
        for edge, size in (("x", width), ("y", height)):
            check(0 <= float(shape.get(edge, 0)) <= size, f"{name}: {shape.attrib} lies outside")
    check(root.find(SVG + "title") is not None and root.find(SVG + "desc").text, f"{name}: no description")
    return root


def titled_rectangles(root):
    """Returns (title, rectangle) of those that have one."""
    return [(r.find(SVG + "title").text, r) for r in root.iter(SVG + "rect") if r.find(SVG + "title") is not None]
