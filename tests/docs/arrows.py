# SPDX-License-Identifier: MIT
"""Holds when files include only what docs/architecture.md allows their folder, and when builtins and inline assembly of device
code stand in include/ops/isa alone."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.dont_write_bytecode = True
from checks import check, finish  # noqa: E402

root = pathlib.Path(sys.argv[1]).resolve()

# Says which folders a folder includes, besides itself. The longest prefix of a file's path counts.
MAY_INCLUDE = {
    "include/tiles": [],
    "include/ops": ["include/tiles"],
    "include/ops/isa": ["include/tiles"],
    "include/sched": ["include/tiles", "include/ops"],
    "kernels": ["include"],
    "examples": ["include", "kernels", "tools/core"],
    "src": ["include", "src/core"],
    "src/wavetile.c": ["include", "src"],
    "src/core": ["include"],
    "src/activation": ["include", "src/core", "src/block_scale"],
    "src/conv": ["include", "src/core", "src/gemm"],
    "src/gemm_block": ["include", "src/core", "src/gemm"],
    "src/gemm_mx": ["include", "src/core", "src/gemm"],
    "src/grouped": ["include", "src/core", "src/gemm"],
    "src/norm": ["include", "src/core", "src/block_scale"],
    "sim/machine": [],
    "sim/object": [],
    "sim/settings": ["sim/machine"],
    "sim/isa": ["sim/machine", "sim/object", "sim/settings"],
    "sim/exec": ["sim/isa", "sim/machine", "sim/object", "sim/settings"],
    "sim/check": ["sim/exec", "sim/isa", "sim/machine", "sim/object"],
    "sim/timing": ["sim/exec", "sim/isa", "sim/machine", "sim/settings"],
    "sim/report": ["sim/check", "sim/exec", "sim/isa", "sim/machine", "sim/object", "sim/settings", "sim/timing"],
    "sim/hip": ["sim/check", "sim/exec", "sim/isa", "sim/machine", "sim/object", "sim/report", "sim/settings"],
}
# These are headers that host and device share, which src/core does without, and the public header of the simulated runtime.
SHARED = re.compile(r"^kernels/.*(_args\.h|\.def)$|^include/wavetile_sim\.h$")
# Where a name between quotes is looked for, besides the file's own folder.
PLACES = ["", "include", "src", "tools"]


def target_of(file, name):
    """Returns the path of an included file in the repository, or None when it is not one of its files."""
    for place in [file.parent, *(root / place for place in PLACES)]:
        path = (place / name).resolve()
        if path.is_file() and path.is_relative_to(root):
            return path.relative_to(root).as_posix()
    return None


def inside(path, folder):
    """Returns whether a path is below a folder, or is the folder."""
    return path == folder or path.startswith(folder + "/")


def folder_of(path):
    """Returns the folder of MAY_INCLUDE that rules a file; below src each family is one of its own."""
    found = [folder for folder in MAY_INCLUDE if inside(path, folder)]
    longest = max(found, key=len) if found else None
    return "/".join(path.split("/")[:2]) if longest == "src" else longest


includes = 0
for folder in sorted({name.split("/")[0] for name in MAY_INCLUDE}):
    for file in sorted(path for path in root.glob(f"{folder}/**/*") if path.suffix in (".c", ".h", ".hip")):
        path = file.relative_to(root).as_posix()
        own = folder_of(path)
        if own is None:
            continue
        allowed = [own, *MAY_INCLUDE.get(own, MAY_INCLUDE["src"])]
        for name in re.findall(r'^#include "(.*)"', file.read_text(), re.MULTILINE):
            target = target_of(file, name)
            if target is None or SHARED.match(target) and own != "src/core":
                continue
            includes += 1
            check(any(inside(target, to) for to in allowed), f"{path} includes {target}: {own} may include {', '.join(allowed)}")
check(includes > 300, f"only {includes} includes were found")

device = [path for folder in ("include", "kernels", "examples") for path in root.glob(f"{folder}/**/*") if path.suffix in (".h", ".hip")]
for file in sorted(device):
    path = file.relative_to(root).as_posix()
    code = re.sub(r"//.*", "", file.read_text())
    if not inside(path, "include/ops/isa"):
        check(not re.search(r"__builtin_amdgcn_|\basm\b", code), f"{path} has a builtin or assembly: wrap it in include/ops/isa")

finish()
