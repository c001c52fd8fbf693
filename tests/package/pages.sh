#!/bin/sh
# SPDX-License-Identifier: MIT
# The installed pages print commands for an installed package: none names a folder of the repository, and those of the named pages
# do what the page says. Usage: pages.sh PREFIX WORK PYTHON COMMANDS.PY PAGE...
. "$(dirname "$0")/common.sh"
prefix=$1 work=$2 python=$3 commands=$4
shift 4
pages=$prefix/share/doc/libwavetile-dev
found=$(grep -rnE 'build/(bin|lib)|-Iinclude|__HIP_PLATFORM_AMD__' "$pages" --include=*.md --include=*.c --include=*.hip |
  grep -v "^$pages/docs/install.md:" || true)
[ -z "$found" ] || fail "these lines name folders of the repository: $found"
for source in $(find "$pages/examples" -name '*.c' -o -name '*.h' -o -name '*.hip'); do
  for header in $(sed -n 's/^#include "\(.*\)"$/\1/p' "$source"); do
    [ -f "$(dirname "$source")/$header" ] || [ -f "$pages/$header" ] || [ -f "$prefix/include/wavetile/device/$header" ] ||
      fail "$source includes $header, which is not installed"
  done
done
PKG_CONFIG_PATH=$(dirname "$(find_one "$prefix" wavetile.pc)")
export PKG_CONFIG_PATH
for page in "$@"; do
  echo "$page"
  "$python" "$commands" "$pages" "$prefix" "$work/$(basename "$page" .md)" "$page" installed
done
