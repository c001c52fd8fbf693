#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds a kernel written with the device headers alone, without the library: compiled by clang with the folder that pkg-config
# names and by `wavetile hipcc --kernel`, run by a program that is linked with a HIP runtime and nothing else. Usage:
# headers_alone_consumer.sh PREFIX WORK CC CLANGXX
. "$(dirname "$0")/common.sh"
prefix=$1 work=$2 cc=$3 clangxx=$4 here=$(dirname "$0")
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
"$prefix/bin/wavetile" hipcc --kernel "$here/consumer/gram.hip" -o "$work/by_command.co"
LD_LIBRARY_PATH=$sim WT_SIM_CHECK=fail WT_SIM_DEVICES=mi355x "$work/run_gram" "$work/by_clang.co"
LD_LIBRARY_PATH=$sim WT_SIM_CHECK=fail WT_SIM_DEVICES=mi300x "$work/run_gram" "$work/by_command.co"
"$prefix/bin/wavetile" isa "$work/by_clang.co" gram | grep -q MFMA
