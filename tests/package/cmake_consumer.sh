#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds projects outside this one's tree, through find_package(wavetile): one in C and one in C++ alone, each with a kernel of
# its own. Usage: cmake_consumer.sh PREFIX WORK CMAKE CC CXX
. "$(dirname "$0")/common.sh"
prefix=$1 work=$2 cmake=$3 cc=$4 cxx=$5 here=$(dirname "$0")
rm -rf "$work"
mkdir -p "$work"
"$cmake" -S "$here/consumer" -B "$work/c" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc"
"$cmake" --build "$work/c"
(cd "$work/c" && "${cmake%cmake}ctest" --output-on-failure)
# The kernel is compiled once, and again only when a header that it includes changes.
"$cmake" --build "$work/c" >"$work/again.log"
if grep -q Compiling "$work/again.log"; then fail "the kernel is compiled twice"; fi
grep -q wavetile_device.h "$work/c/own_kernels/gram.gfx950.co.d" || fail "the kernel does not depend on its headers"

"$cmake" -S "$here/consumer_cpp" -B "$work/cpp" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx"
"$cmake" --build "$work/cpp"
"$cmake" --install "$work/cpp" --prefix "$work/installed"
"$work/cpp/consumer_cpp" "$work/installed/lib/consumer/fill.gfx950.co"
[ ! -e "$work/installed/lib/consumer/fill.gfx942.co" ] || fail "a target that was not asked for is installed"
