# SPDX-License-Identifier: MIT
"""Holds when the README quotes the quickstart files to the letter, code in the guides stands in the sources, every relative
link and every path of a source file resolves, every picture is shown, figures of the page on profiling are printed by a command, every
environment variable the sources read is documented, and every documented one is read, and the page on HIP calls agrees with the list
of exports."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from checks import check, finish  # noqa: E402

root = pathlib.Path(sys.argv[1])


def quoted(text):
    """This leaves out the licence and the build lines, which the page has elsewhere."""
    return "".join(line for line in text.splitlines(True) if not line.startswith(("// SPDX", "// Build: ")))


readme = (root / "README.md").read_text()
for name in ("gemm.c", "small_gemm.hip"):
    source = quoted((root / "examples/quickstart" / name).read_text())
    check(source in readme, f"README.md does not quote examples/quickstart/{name} as it is")
    check(len(source.splitlines()) <= 26, f"examples/quickstart/{name} has outgrown the README")

# Code in the guides is quoted: whole lines of one file, in blocks that begin with ```c or ```cpp. What stands in no file says so:
# ```c sketch. All lines of these kernels are quoted.
sources = {path: path.read_text() for folder in ("include", "kernels", "examples", "tests/programs")
           for path in root.glob(f"{folder}/**/*") if path.suffix in (".h", ".hip", ".c")}
quotes = 0
for page in sorted(root.glob("docs/guide/*.md")):
    for block in re.findall(r"^```c(?:pp)?\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        quotes += 1
        check(any("\n" + block in text for text in sources.values()), f"{page.relative_to(root)} quotes what is in no source: {block}")
check(quotes > 90, f"the guides quote the sources {quotes} times only")
for name, folder, kernel_name, most_lines in (("your_own_kernel", "your_own_kernel", "gemm_bias_gelu", 60),
                                              ("row_softmax", "row_softmax", "row_softmax", 60),
                                              ("scheduling", "pipelined_gemm", "pipelined_gemm", 75),
                                              ("checking", "check_mode", "reversed", 60)):
    guide = (root / f"docs/guide/{name}.md").read_text()
    kernel = (root / f"examples/{folder}/{kernel_name}.hip").read_text()
    check(len(kernel.splitlines()) <= most_lines, f"examples/{folder}/{kernel_name}.hip has outgrown a page")
    includes = re.findall(r'#include [<"](.*)[>"]', kernel)
    check(includes == ["wavetile_device.h"], f"examples/{folder}/{kernel_name}.hip includes {includes}, not include/ only")
    for line in kernel[kernel.index("#include"):].splitlines():
        check(f"\n{line}\n" in guide, f"docs/guide/{name}.md leaves out {line!r}")

# Every drawn picture is shown, and the pictures of `wavetile grid`, `layout` and `schedule` are drawn by a command of a page.
texts = {page: page.read_text() for page in [root / "README.md", *root.glob("docs/**/*.md")]}
drawn = {name for text in texts.values() for name in re.findall(r"^wavetile .*--out docs/pictures/(\S+)$", text, re.MULTILINE)}
for picture in sorted(drawn):
    check(any(f"pictures/{picture})" in text for text in texts.values()), f"docs/pictures/{picture} is drawn but not shown")
for picture in [path for name in ("grid", "layout", "schedule") for path in root.glob(f"docs/pictures/{name}_*.svg")]:
    check(picture.name in drawn, f"{picture.relative_to(root)} is drawn by no command of a page")

# Files that a page names by their path exist.
for page, text in texts.items():
    for path in re.findall(r"`((?:include|kernels|src|sim|tools|tests|examples|docs|cmake)/[\w./]+\.\w+)`", text):
        check((root / path).exists(), f"{page.relative_to(root)} names {path}, which does not exist")

# Figures of docs/guide/profiling.md and the report in docs/timing.md are those that the commands of the guide print.
printed = "".join(block for path in sorted(root.glob("docs/guide/*.md"))
                  for block in re.findall(r"^```console\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL))
prose = re.sub(r"^```.*?^```$", "", (root / "docs/guide/profiling.md").read_text(), flags=re.MULTILINE | re.DOTALL)
figures = re.findall(r"(?<![\d.])\d+\.\d%|(?<=here )\d{4}(?= of \d{4} MHz)", prose)
for figure in figures:
    shown = figure if "%" in figure else f"{figure} MHz"
    check(re.search(rf"(?<![\d.]){re.escape(shown)}", printed), f"docs/guide/profiling.md says {shown}, which no command of the guide prints")
check(len(figures) >= 6, f"docs/guide/profiling.md states {len(figures)} figures only")
for report in re.findall(r"^    (wavetile sim: predicted.*)$", (root / "docs/timing.md").read_text(), re.MULTILINE):
    check(report in printed, f"docs/timing.md reports what no command of the guide prints: {report}")

pages = [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("examples/**/*.md")]
for page in pages:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)  # [&](auto x) is no link
    for target in re.findall(r"\]\(([^)#:]+)\)", prose):
        check((page.parent / target).exists(), f"{page.relative_to(root)} links to {target}, which does not exist")

read = set()
for folder in ("sim", "src", "tools"):
    for source in [*root.glob(f"{folder}/**/*.c"), *root.glob(f"{folder}/**/*.h")]:
        read |= set(re.findall(r'(?:getenv\(|\] = \{)"(WT_\w+)"', source.read_text()))
documented = set(re.findall(r"`(WT_[A-Z_]+)`", "".join(page.read_text() for page in pages)))
for name in sorted(read - documented):
    check(False, f"{name} is read by the sources and documented nowhere")
declared = set(re.findall(r"\bWT_SIM_\w+", re.sub(r"//.*", "", (root / "include/wavetile_sim.h").read_text())))
for name in sorted(n for n in documented - declared if n.startswith("WT_SIM_")):
    check(name in read, f"{name} is documented and read nowhere")

# The page on HIP calls names exactly the exported symbols that are not available.
exports = [line.split() for line in (root / "sim/hip/exports.txt").read_text().splitlines() if not line.startswith("#")]
missing = {name for _, kind, name in exports if kind != "here"}
listed = set(re.findall(r"`(\w+)`[,\n]", (root / "docs/hip-calls.md").read_text().split("## What there is not")[1]))
for name in sorted(missing - listed):
    check(False, f"{name} is not available, and docs/hip-calls.md does not say so")
for name in sorted(listed - missing):
    check(False, f"docs/hip-calls.md says that {name} is not available, but it is")
check(len(listed) > 50, "docs/hip-calls.md lists no calls")

finish()
