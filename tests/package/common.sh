# SPDX-License-Identifier: MIT
# This is what the tests of the installed package share; they are given the prefix, an empty folder to work in, and
# the tools.
set -eu
unset LD_LIBRARY_PATH LD_PRELOAD
fail() { echo "failed: $*" >&2; exit 1; }
# Finds one file below a folder, or nothing.
find_one() { find "$1" -name "$2" | head -n 1; }
