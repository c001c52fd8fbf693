# SPDX-License-Identifier: MIT
# The kernels that `./dev demo` builds are those that the whole library chooses for its GEMMs: demo_kernels.py DEV WAVETILE
import re
import subprocess
import sys

dev, tool = sys.argv[1:]
text = open(dev).read()
built = re.search(r"^DEMO_KERNELS='([^']*)'$", text, re.MULTILINE).group(1).split(";")
calls = re.findall(r'^ *"\$BUILD/bin/wavetile" (gemm --m \d+ --n \d+ --k \d+ --device \S+) ', text, re.MULTILINE)
assert len(calls) == 2, calls
chosen = []
for call in calls:
    out = subprocess.run([tool, *call.split(), "--explain"], capture_output=True, text=True, check=True).stdout
    chosen.append(re.search(r"^kernel +(\w+):", out, re.MULTILINE).group(1))
    assert "split K     none" in out, out
assert sorted(chosen) == sorted(built), (chosen, built)
