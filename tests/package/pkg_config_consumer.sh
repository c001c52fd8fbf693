#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds programs with what pkg-config says: the README's, and one in strict C11. Then the command runs, and finds its own manual
# page. Usage: pkg_config_consumer.sh PREFIX WORK CC README_PROGRAM
. "$(dirname "$0")/common.sh"
prefix=$1 work=$2 cc=$3 program=$4 here=$(dirname "$0")
rm -rf "$work"
mkdir -p "$work"
PKG_CONFIG_PATH=$(dirname "$(find_one "$prefix" wavetile.pc)")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion wavetile)" = "$("$prefix/bin/wavetile" --version | cut -d' ' -f2)" ] || fail "versions differ"
# shellcheck disable=SC2046  # the flags are words
"$cc" "$program" -o "$work/readme" $(pkg-config --cflags --libs wavetile)
"$work/readme"
# shellcheck disable=SC2046
"$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror "$here/pkg_config.c" -o "$work/strict" $(pkg-config --cflags --libs wavetile)
"$work/strict"
[ -f "$(pkg-config --variable=simdir wavetile)/libamdhip64.so.5" ] || fail "simdir names no runtime"
"$prefix/bin/wavetile" gemm --m 20 --n 30 --k 40
"$prefix/bin/wavetile" --page man | cmp - "$prefix/share/man/man1/wavetile.1"
