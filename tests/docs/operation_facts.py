# SPDX-License-Identifier: MIT
"""Holds when the facts that docs/reference states of operations are what the compiler makes of them: which counter is outstanding
when the operation ends, whether the compiler waits for it where the result is used, and whether LDS is accessed.

operation_facts.py SOURCE COMPILER"""
import pathlib
import re
import subprocess
import sys

root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path[:0] = [str(root / "docs/reference"), str(root / "tests")]
sys.dont_write_bytecode = True
import generate  # noqa: E402
from checks import check, finish  # noqa: E402


def stated_facts():
    """header__operation, as kernels are named -> the facts of the page."""
    stated = {}
    for _, _, headers in generate.documented_pages():
        for header in headers:
            for group in generate.groups_of(header.items):
                for names, facts in generate.operations_of(header, group):
                    for name in names:
                        key = re.sub(r"\W+", "_", header.name.removesuffix(".h")) + "__" + name.replace("::", "__")
                        stated.setdefault(key, facts)
    return stated


class Region:
    """Returns what the instructions between the marks do, and the waits after them. Branches are read as they stand."""

    def __init__(self, lines):
        self.outstanding = {"vmcnt": 0, "lgkmcnt": 0}
        self.accesses_lds, self.waits_after = False, set()
        inside, after = False, False
        for line in lines:
            text = line.strip()
            if "operation begins" in text:
                inside = True
            elif "operation ends" in text:
                inside, after = False, True
            elif inside:
                self.take(text)
            elif after and text.startswith("s_waitcnt"):
                self.waits_after |= set(re.findall(r"(vmcnt|lgkmcnt)", text))
        self.complete = after

    def take(self, text):
        if text.startswith("s_waitcnt"):
            for counter, left in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", text):
                self.outstanding[counter] = min(self.outstanding[counter], int(left))
        elif text.startswith(("buffer_load", "buffer_store", "buffer_atomic", "global_", "flat_")):
            self.outstanding["vmcnt"] += 1
            self.accesses_lds |= text.endswith(" lds")
        elif text.startswith("ds_"):
            self.outstanding["lgkmcnt"] += 1
            self.accesses_lds |= text.startswith(("ds_read", "ds_write"))


stated = stated_facts()
for target in ("gfx950", "gfx942"):
    listing = subprocess.run([compiler, "-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib",
                              "-std=c++20", "-O3", f"-I{root / 'include'}", "-S", "-o", "-",
                              str(root / "tests/docs/operation_facts.hip")], capture_output=True, text=True, check=True).stdout
    kernels = re.findall(r"^facts_(\w+):(.*?)^\s*s_endpgm", listing, re.MULTILINE | re.DOTALL)
    check(len(kernels) > 40, f"{target}: only {len(kernels)} operations were compiled")
    for name, body in kernels:
        region, where = Region(body.splitlines()), f"{target}: {name.replace('__', ' ')}"
        check(region.complete, f"{where} has no marks")
        if name not in stated:
            check(False, f"{where} is not an operation of docs/reference")
            continue
        facts = stated[name]
        for counter, left in region.outstanding.items():
            check((counter in facts["leaves"]) == (left > 0),
                  f"{where} leaves {left} of {counter} in the code; its comment says '{facts['leaves']}'")
            if left > 0:
                waited, says = counter in region.waits_after, facts["waits"]
                check(waited == says.startswith("compiler"),
                      f"{where}: the compiler {'waits' if waited else 'does not wait'} for {counter}; its comment says '{says}'")
        check((facts["LDS"] != "none") == region.accesses_lds,
              f"{where} {'accesses' if region.accesses_lds else 'does not access'} LDS in the code; its comment says '{facts['LDS']}'")

finish()
