#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the build tree, moves what was installed, and looks at it: everything is there, and nothing names where it was
# built or installed. Usage: install.sh BUILD PREFIX CMAKE SOURCE
. "$(dirname "$0")/common.sh"
build=$1 prefix=$2 cmake=$3 source=$4
rm -rf "$prefix" "$prefix.before"
"$cmake" --install "$build" --prefix "$prefix.before" >"$build/install.log" 2>&1 || { cat "$build/install.log"; exit 1; }
mv "$prefix.before" "$prefix"

for file in bin/wavetile include/wavetile.h include/wavetile_sim.h include/wavetile/gemm.h \
  include/wavetile/device/wavetile_device.h share/man/man1/wavetile.1 share/bash-completion/completions/wavetile \
  share/zsh/site-functions/_wavetile share/doc/wavetile/copyright libexec/wavetile/kernel_check; do
  [ -f "$prefix/$file" ] || fail "$file is not installed"
done
for header in $(cd "$source/include" && find tiles ops sched -name '*.h'); do
  cmp "$source/include/$header" "$prefix/include/wavetile/device/$header"
done
# These are the names of folders that other packages may have, too.
for folder in include/tiles include/ops include/sched; do
  [ ! -e "$prefix/$folder" ] || fail "$folder is too common a name"
done
# Every link of the installed pages leads to something that is installed.
pages=$prefix/share/doc/libwavetile-dev
links=0
for page in $(find "$pages" -name '*.md'); do
  folder=$(dirname "$page")
  for target in $(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)# ]+' | cut -c3- | grep -v :); do
    [ -e "$folder/$target" ] || fail "$page links to $target, which is not installed"
    links=$((links + 1))
  done
done
[ "$links" -gt 500 ] || fail "the installed pages have $links links"
# The simulated runtime has all its names, in no folder where the linker looks by itself.
sim=$(dirname "$(find_one "$prefix" libamdhip64.so.5)")
for name in libamdhip64.so libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 libhiprtc.so libhiprtc.so.5 libhiprtc.so.6 \
  libhiprtc.so.7; do
  cmp "$sim/$name" "$sim/libamdhip64.so.5"
done
[ "$(basename "$sim")" = wavetile ] || fail "the simulated runtime is in $sim"
[ "$(find "$prefix" -name 'libamdhip64*' | wc -l)" = 4 ] || fail "the simulated runtime is in more than one folder"
if grep -rIlE "$prefix|$build" "$prefix"; then fail "these files name where they were built or installed"; fi
