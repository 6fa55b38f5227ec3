#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The Debian package: its fields, dependencies and contents; dpkg unpacks it into a folder, and
# the command runs there. Skips with exit code 77 where there is no dpkg.
# Usage: deb.sh BUILD_FOLDER VERSION
set -euo pipefail
build=$1 version=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for command in dpkg-deb dpkg-shlibdeps cpack; do
  command -v "$command" > /dev/null || { echo "skipped: $command is not installed"; exit 77; }
done
"$here/../../tools/dist-deb" "$build"
package=$here/../../build/plait_${version}_$(dpkg --print-architecture).deb
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

dpkg-deb --info "$package" | tee "$work/info"
for line in 'Package: plait' "Version: $version" 'Section: science' 'Maintainer: .*@' \
  'Recommends: openmpi-bin | mpich' 'Depends: .*libc6 (>= ' 'Depends: .*libhwloc15' \
  'Depends: .*libzstd1' 'Description: performance tool'; do
  grep -q "^ $line" "$work/info" || { echo "missing in the control file: $line"; exit 1; }
done
dpkg-deb --contents "$package" > "$work/contents"
for file in usr/bin/plait usr/share/doc/plait/copyright usr/share/doc/plait/CHANGELOG.md \
  usr/share/doc/plait/docs/how-to/install.md usr/lib/pkgconfig/plait.pc; do
  grep -qE " \./$file\$" "$work/contents" || { echo "missing in the package: $file"; exit 1; }
done
if grep -v ' \./usr/\| \./$' "$work/contents"; then echo "files outside /usr"; exit 1; fi
if awk '$2 != "root/root"' "$work/contents" | grep .; then echo "files of another owner"; exit 1; fi

root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
touch "$root/var/lib/dpkg/status"
as_root=()
if [[ $(id -u) != 0 ]]; then as_root=(fakeroot); fi
if ! "${as_root[@]}" true 2> /dev/null; then
  dpkg-deb -x "$package" "$root"
  "$root/usr/bin/plait" --version
  echo "unpacked only: dpkg needs root or fakeroot"
  exit 0
fi
# Unpacked, not configured: configuring runs ldconfig, and the folder has none.
"${as_root[@]}" dpkg --root="$root" --log=/dev/null --force-not-root --unpack "$package" \
  > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
dpkg-query --admindir="$root/var/lib/dpkg" -L plait | grep -x /usr/bin/plait > /dev/null
[[ $("$root/usr/bin/plait" --version) == "plait $version" ]]
"$root/usr/bin/plait" doctor > "$work/doctor"
grep -q '^Preload ' "$work/doctor"
echo "unpacked by dpkg and run"
