# SPDX-License-Identifier: MIT
"""Holds when the README's table of main loops says what the compiler made: each row equals what `wavetile isa` and the simulated
device's count of bank conflicts say of that kernel. Usage: loops.py WAVETILE README"""
import os
import pathlib
import re
import subprocess
import sys

wavetile, readme = sys.argv[1:]
STEPS = 2  # K steps in an iteration of these loops: one for each stage of LDS
rows = re.findall(r"^\| ([48])-wave (\w+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| (\d+) \| (\d+) \|$",
                  pathlib.Path(readme).read_text(), re.MULTILINE)
failures = []


def run(*words, **environment):
    result = subprocess.run([wavetile, *words], capture_output=True, text=True, env=os.environ | environment, check=False)
    if result.returncode:
        sys.exit(result.stderr)
    return result.stdout, result.stderr


for waves, name, *cells in rows:
    type_name = {"FP8": "f8e4m3", "BF16": "bf16"}[name]
    kernel = f"gemm_{waves}wave_256x256_{type_name}_{type_name}"
    text, _ = run("isa", kernel, "--target", "gfx950")
    columns = re.search(r"^ +(all +MFMA.*)$", text, re.MULTILINE)[1].split()
    loops = [dict(zip(columns, map(int, numbers.split())))
             for numbers in re.findall(r"^  loop at \S+ +([\d ]+)$", text, re.MULTILINE)]
    loop = max(loops, key=lambda numbers: numbers["MFMA"])
    spills = sum(map(int, re.search(r"spills: (\d+) VGPR, (\d+) SGPR", text).groups()))
    _, report = run("gemm", "--kernel", f"gemm_{waves}wave_256x256", "--dtype", type_name, "--m", "256", "--n", "256", "--k", "1024",
                    "--device", "sim:mi355x", WT_SIM_LDS_CONFLICTS="1")
    conflicts = re.search(rf"kernel +{kernel} .*: [1-9]\d* LDS instructions, (\d+) conflict cycles", report)
    # Register moves are vector instructions, of which these loops have no others besides MFMAs.
    made = [loop["all"] / STEPS, loop["MFMA"] / STEPS, loop["VALU"] / STEPS, spills, int(conflicts[1]) if conflicts else None]
    if made != [float(cell) for cell in cells]:
        failures.append(f"README.md says {cells} of the loop of {kernel}, the compiler made {made}")
if len(rows) != 4:
    failures.append(f"README.md has {len(rows)} rows on loops, not 4")
for failure in failures:
    print("failed:", failure, file=sys.stderr)
print(f"{len(rows)} rows, {len(failures)} failures")
sys.exit(1 if failures else 0)
