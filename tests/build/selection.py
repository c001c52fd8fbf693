# SPDX-License-Identifier: MIT
# What the option WT_KERNELS selects, in build folders that are configured and not built: selection.py CMAKE SOURCE FOLDER
import pathlib
import re
import shutil
import subprocess
import sys

cmake, source, folder = sys.argv[1:]


def configure(kernels):
    shutil.rmtree(folder, ignore_errors=True)
    return subprocess.run([cmake, "-G", "Ninja", "-S", source, "-B", folder, "-DWT_BUILD_TESTS=OFF", f"-DWT_KERNELS={kernels}"],
                          capture_output=True, text=True)


def compiled():
    rules = pathlib.Path(folder, "build.ninja").read_text()
    return set(re.findall(r"^build kernels/(\S+?)\.gfx9\d\d\.co ", rules, re.MULTILINE))


done = configure("rotary;nosuch")
said = " ".join(done.stderr.split())
assert done.returncode != 0 and 'WT_KERNELS names "nosuch", which is no family of kernels and no kernel file' in said, said

done = configure("quantize;gemm_4wave_64x64")
assert done.returncode == 0, done.stderr
assert compiled() == {"quantize", "quantize_rows", "dequantize", "gemm_4wave_64x64"}, compiled()
shutil.rmtree(folder)
