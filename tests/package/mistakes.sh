#!/bin/sh
# SPDX-License-Identifier: MIT
# Every mistake in a call of wavetile_add_kernels is one sentence that names what is wrong. Usage:
# mistakes.sh PREFIX WORK CMAKE CC SCRATCH_KERNEL
. "$(dirname "$0")/common.sh"
prefix=$1 work=$2 cmake=$3 cc=$4 scratch=$5 here=$(dirname "$0")
rm -rf "$work"
mkdir -p "$work"
printf '#!/bin/sh\necho "x.hip:2:2: error: it is older than clang 21"; exit 1\n' >"$work/old_clang"
chmod +x "$work/old_clang"

configure() { # MISTAKE [options...]
  mistake=$1
  shift
  "$cmake" -S "$here/mistakes" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DMISTAKE="$mistake" \
    -DSCRATCH="$scratch" "$@" >"$work/log" 2>&1
}
# The message of CMake is wrapped: its words are compared.
says() { tr -s ' \n' ' ' <"$work/log" | grep -qF -- "$1"; }
refused() { # MISTAKE SENTENCE [options...]
  mistake=$1 sentence=$2
  shift 2
  if configure "$mistake" "$@"; then fail "$mistake is accepted"; fi
  says "$sentence" || { cat "$work/log" >&2; fail "$mistake does not say: $sentence"; }
}

refused target '"gfx90a" is no target of wavetile'"'"'s kernels; pass gfx942 or gfx950'
refused file "wavetile_add_kernels(kernels): there is no file $here/mistakes/nowhere.hip"
refused no_file 'wavetile_add_kernels(kernels): no .hip file is named'
refused twice 'wavetile_add_kernels(kernels): two kernel files are named gram'
refused name 'wavetile_add_kernels(my-kernels): the name becomes part of C identifiers; use letters, digits and underscores'
refused compiler "WT_DEVICE_COMPILER_gfx950 is $work/old_clang, which does not compile for gfx950 (error: it is older than clang 21); install clang-22 and lld-22, or name a clang++ of version 21 or newer in WT_DEVICE_COMPILER_gfx950" \
  -DWT_DEVICE_COMPILER_gfx950="$work/old_clang"
refused compiler "no compiler was found that compiles for gfx950; $work/old_clang does not (error: it is older than clang 21); install clang-22" \
  -DWT_DEVICE_COMPILER_gfx950= -DWT_HIPCC=WT_HIPCC-NOTFOUND -DWT_CLANGXX="$work/old_clang"
refused version 'compatible with requested version "0.2"' -UWT_CLANGXX

configure spills -UWT_CLANGXX || { cat "$work/log" >&2; fail "a kernel that spills does not configure"; }
if "$cmake" --build "$work/build" >"$work/log" 2>&1; then fail "a kernel that uses scratch is accepted"; fi
says 'add ALLOW_SCRATCH' || { cat "$work/log" >&2; fail "scratch is not named"; }
configure allowed_spills || fail "ALLOW_SCRATCH does not configure"
"$cmake" --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "ALLOW_SCRATCH does not allow scratch"; }
