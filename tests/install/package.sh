#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A project of its own finds the installed package Plait, builds against it and runs.
# Usage: package.sh BUILD_FOLDER CMAKE
set -euo pipefail
build=$1 cmake=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" > "$work/install.log"
"$cmake" -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix" \
  > "$work/configure.log" || { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/consumer"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$work/consumer/consumer" | tee "$work/out"
grep -qx 'regions begun and ended' "$work/out"
