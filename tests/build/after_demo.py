# SPDX-License-Identifier: MIT
# What `./dev test` does in a folder in which `./dev demo` was the first command, which is configured here and not built: a name
# that no test has is refused with a sentence, and what the demonstration compiles would not be compiled again, since its
# commands are the same. Usage: after_demo.py CMAKE SOURCE FOLDER
import os
import pathlib
import re
import shutil
import subprocess
import sys

cmake, source, folder = sys.argv[1:]
dev = pathlib.Path(source, "dev").read_text()
kernels = re.search(r"^DEMO_KERNELS='([^']*)'$", dev, re.MULTILINE).group(1)
assert 'configure "$BUILD" "-DWT_KERNELS=$DEMO_KERNELS" -DWT_BUILD_TESTS=OFF' in dev


def compile_commands():
    said = subprocess.run(["ninja", "-C", folder, "-t", "commands", "wavetile_tool"], capture_output=True, text=True, check=True)
    return {line for line in said.stdout.splitlines() if re.search(r" -c \S", line)}


shutil.rmtree(folder, ignore_errors=True)
subprocess.run([cmake, "-G", "Ninja", "-S", source, "-B", folder, f"-DWT_KERNELS={kernels}", "-DWT_BUILD_TESTS=OFF"],
               capture_output=True, check=True)
of_demo = compile_commands()
compiled = {name for line in of_demo for name in re.findall(r" -o (\S+\.c?o)\b", line)}
expected = {f"{folder}/kernels/{kernel}.{target}.co" for kernel in kernels.split(";") for target in ("gfx942", "gfx950")}
assert len(compiled) > 200 and expected <= compiled, (len(compiled), expected - compiled)

refused = subprocess.run([source + "/dev", "test", "NOSUCH"], env={**os.environ, "WT_BUILD_DIR": folder}, capture_output=True, text=True)
sentence = f"dev: no test has a name that matches \"NOSUCH\"; 'ctest --test-dir {folder} -N' lists the tests"
assert refused.returncode == 1 and sentence in refused.stderr.splitlines(), (refused.returncode, refused.stderr)
assert "building" not in refused.stderr, refused.stderr
again = of_demo - compile_commands()
assert not again, f"{len(again)} commands of the demonstration are others for the tests, the first is: {sorted(again)[0]}"
shutil.rmtree(folder)
