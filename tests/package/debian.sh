#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the Debian packages and unpacks them into an empty root, in which the other tests run. Usage: debian.sh BUILD ROOT CPACK
. "$(dirname "$0")/common.sh"
build=$1 root=$2 cpack=$3
rm -rf "$root" "$build/package"
mkdir -p "$root"
(cd "$build" && "$cpack" -G DEB) >"$build/package.log" 2>&1 || { cat "$build/package.log"; exit 1; }
for package in libwavetile0 libwavetile-dev wavetile; do
  file=$(find_one "$build/package" "${package}_*.deb")
  [ -n "$file" ] || fail "there is no package $package"
  dpkg-deb -x "$file" "$root"
  depends=$(dpkg-deb -f "$file" Depends)
  grep -q "LLVM" "$root/usr/share/doc/$package/copyright" || fail "the licence of $package does not name LLVM's"
  if command -v dpkg-parsechangelog >/dev/null; then
    changelog=$root/usr/share/doc/$package/changelog.gz
    gzip -dc "$changelog" | dpkg-parsechangelog -l- >"$build/changelog.log" 2>&1 || { cat "$build/changelog.log"; fail "$changelog"; }
    grep -q "^Version: $(dpkg-deb -f "$file" Version)\$" "$build/changelog.log" || fail "$changelog is of another version"
    ! grep warning "$build/changelog.log" || fail "$changelog is not in Debian's format"
  fi
  case "$package:$depends" in
    *libllvm*) fail "$package needs all of LLVM: $depends" ;;
    libwavetile0:*libzstd1*) ;;
    libwavetile-dev:*libwavetile0\ \(=*) ;;
    wavetile:*libwavetile0\ \(=*libjansson4*) ;;
    *) fail "$package depends on: $depends" ;;
  esac
  case $depends in *amdhip64*) fail "$package depends on ROCm's runtime: $depends" ;; esac
done
# No file is in two packages.
for file in "$build"/package/*.deb; do dpkg-deb --fsys-tarfile "$file" | tar -t | grep -v '/$'; done | sort | uniq -d >"$build/twice.log"
[ ! -s "$build/twice.log" ] || { cat "$build/twice.log"; fail "these files are in two packages"; }
