#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs into a folder of the build tree, for the other tests of this folder. Before that,
# installs into a DESTDIR and uninstalls again: nothing may be left.
# Usage: prefix.sh BUILD_FOLDER CMAKE
set -euo pipefail
build=$1 cmake=$2
work=$(mktemp -d)
manifest=$build/install_manifest.txt
# The manifest of a real installation is kept, as `make uninstall` reads it.
if [[ -e $manifest ]]; then mv "$manifest" "$work/manifest"; fi
finish() {
  rm -f "$manifest"
  if [[ -e $work/manifest ]]; then mv "$work/manifest" "$manifest"; fi
  rm -rf "$work"
}
trap finish EXIT

mkdir -p "$work/root/usr/local/share/doc/other"
DESTDIR=$work/root "$cmake" --install "$build" --prefix /usr/local > "$work/log"
test -x "$work/root/usr/local/bin/plait"
# Files of others, beside Plait's and in its folder, stay.
touch "$work/root/usr/local/bin/other" "$work/root/usr/local/share/plait/mine"
# Without the build tool: `--target uninstall` would first bring the whole build up to date.
DESTDIR=$work/root "$cmake" -DMANIFEST="$manifest" \
  -P "$(dirname "${BASH_SOURCE[0]}")/../../cmake/PlaitUninstall.cmake"
left=$(cd "$work/root/usr/local" && find . ! -type d -o -iname '*plait*' | sort | tr '\n' ' ')
[[ $left == './bin/other ./share/plait ./share/plait/mine ' ]] || { echo "left: $left"; exit 1; }

rm -rf "$build/tests/prefix"
"$cmake" --install "$build" --prefix "$build/tests/prefix" > "$work/log"
