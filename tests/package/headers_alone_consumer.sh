#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds a kernel written with the device headers alone, without the library: compiled by clang with the folder that pkg-config names and
# by `wavetile hipcc --kernel`, run, checked and profiled by the installed command, with a program that is linked with a HIP runtime
# and nothing else. Then an ordinary program with <<<>>>, which is compiled and run by the same command.
# Usage: headers_alone_consumer.sh PREFIX WORK CC CLANGXX
. "$(dirname "$0")/common.sh"
prefix=$1 work=$2 cc=$3 clangxx=$4 here=$(dirname "$0")
wavetile=$prefix/bin/wavetile
rm -rf "$work"
mkdir -p "$work"
PKG_CONFIG_PATH=$(dirname "$(find_one "$prefix" wavetile.pc)")
export PKG_CONFIG_PATH
sim=$(pkg-config --variable=simdir wavetile)
# shellcheck disable=SC2046  # the flags are words
"$cc" -std=c11 -Wall -Wextra -Werror "$here/run_gram.c" -o "$work/run_gram" $(pkg-config --cflags wavetile) -L"$sim" -lamdhip64
if ldd "$work/run_gram" | grep -q libwavetile; then fail "the program is linked with the library"; fi
"$clangxx" -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx950 -nogpuinc -nogpulib -O3 -std=c++20 \
  -I"$(pkg-config --variable=device_includedir wavetile)" -c "$here/consumer/gram.hip" -o "$work/by_clang.co"
"$wavetile" hipcc --kernel "$here/consumer/gram.hip" -o "$work/by_command.co"
"$wavetile" run --device sim:mi355x --check=fail "$work/run_gram" "$work/by_clang.co"
"$wavetile" run --device sim:mi300x --check=fail "$work/run_gram" "$work/by_command.co" 2>"$work/said"
grep -q "^wavetile run: mi300x (gfx942)" "$work/said" || { cat "$work/said"; fail "run does not say what was simulated"; }
"$wavetile" prof --json "$work/gram.json" -- "$work/run_gram" "$work/by_command.co" >"$work/profile"
grep -q '^gram$' "$work/profile" || { cat "$work/profile"; fail "prof does not show the kernel"; }
grep -q '"name": "gram"' "$work/gram.json" || fail "prof writes no record of the kernel"
"$wavetile" isa "$work/by_clang.co" gram | grep -q MFMA

ordinary=$prefix/share/doc/libwavetile-dev/examples/ordinary/dot_product.hip
"$wavetile" hipcc "$ordinary" -o "$work/dot_product"
"$wavetile" run --check=fail "$work/dot_product" | grep -q "the dot product is 200000"
