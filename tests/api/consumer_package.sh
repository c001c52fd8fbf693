#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the build tree into an empty folder and builds and runs programs against it: C11 and C++ through
# find_package(wavetile), C11 through pkg-config. Usage: consumer_package.sh BUILD SOURCE WORK CMAKE CC CXX
set -eu
build=$1 source=$2 work=$3 cmake=$4 cc=$5 cxx=$6
unset LD_LIBRARY_PATH LD_PRELOAD
rm -rf "$work"
"$cmake" --install "$build" --prefix "$work/prefix" >"$build/consumer_install.log"

"$cmake" -S "$source" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx"
"$cmake" --build "$work/build"
"$work/build/consumer_c"
"$work/build/consumer_cpp"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name wavetile.pc)")
export PKG_CONFIG_PATH
test "$(pkg-config --modversion wavetile)" = "$("$work/prefix/bin/wavetile" --version | cut -d' ' -f2)"
# shellcheck disable=SC2046  # the flags are words
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$source/consumer.c" -o "$work/consumer_pkg" \
  $(pkg-config --define-variable=prefix="$work/prefix" --cflags --libs wavetile)
"$work/consumer_pkg"
"$work/prefix/bin/wavetile" gemm --m 20 --n 30 --k 40
