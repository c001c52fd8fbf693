# SPDX-License-Identifier: MIT
"""Source lines and inlined calls are those that llvm-symbolizer finds, for every address of a kernel. It is skipped
where there is no llvm-symbolizer. Usage: inlined_calls.py INLINED_CALLS LLVM_SYMBOLIZER OBJECT TARGET [OBJECT TARGET
...]"""

import os
import subprocess
import sys

program, symbolizer = sys.argv[1:3]
if not os.path.exists(symbolizer):
    print("skipped: there is no llvm-symbolizer; the Debian package is llvm-22")
    sys.exit(77)
compared = deepest = wrong = 0
for name, target in zip(sys.argv[3::2], sys.argv[4::2]):
    own = [line.split() for line in subprocess.run([program, name, target], capture_output=True, text=True, check=True).stdout.splitlines()]
    words = [symbolizer, "--obj=" + name, "--inlining", "--functions=none", "--relativenames", *[line[0] for line in own]]
    blocks = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip().split("\n\n")
    if len(blocks) != len(own):
        sys.exit(f"{name}: {len(blocks)} answers for {len(own)} addresses")
    for (address, *places), block in zip(own, blocks):
        expected = [place.rsplit(":", 1)[0] for place in block.splitlines()]
        expected = [place for place in expected if not place.endswith(":0") and not place.startswith("??")]
        same = [(os.path.basename(a.rsplit(":", 1)[0]), a.rsplit(":", 1)[1]) for a in places]
        wanted = [(os.path.basename(b.rsplit(":", 1)[0]), b.rsplit(":", 1)[1]) for b in expected]
        compared += len(wanted)
        deepest = max(deepest, len(wanted))
        if same != wanted and wrong < 10:
            wrong += 1
            print(f"{name} {address}: {same}, expected {wanted}", file=sys.stderr)
print(f"{compared} places compared, up to {deepest} for an address")
sys.exit(1 if wrong or deepest < 2 else 0)
