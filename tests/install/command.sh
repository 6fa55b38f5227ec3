#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The installed command runs, and finds its preload objects and page beside itself.
# Usage: command.sh BUILD_FOLDER PREFIX MPIEXEC
set -euo pipefail
build=$1 prefix=$2 mpiexec=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A copy elsewhere, so that nothing can be found by the prefix's own path.
cp -a "$prefix" "$work/prefix"
plait=$work/prefix/bin/plait
version=$("$plait" --version)
[[ $version =~ ^plait\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "version: $version"; exit 1; }

# Nothing of the build tree may be needed: the prefix must do alone.
for file in "$work"/prefix/bin/* "$work"/prefix/lib*/*.so "$work"/prefix/lib*/plait/*.so; do
  if readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -F "$build"; then
    echo "$file looks for libraries in the build tree"
    exit 1
  fi
done
"$plait" run --output "$work/run" -- "$mpiexec" -n 2 "$work/prefix/bin/plait-jacobi" \
  --size 24 --steps 10 --check > "$work/out" 2> "$work/report"
grep -q 'check: equal to the serial reference, bit for bit' "$work/out"
test -s "$work/run/profile.json"
grep -q MPI_Allreduce "$work/run/profile.json" ||
  { echo "the profile has no MPI_Allreduce: the preload object was not found"; exit 1; }
if [[ -e $work/prefix/share/plait/report.html ]]; then test -s "$work/run/report.html"; fi
"$plait" report "$work/run" > "$work/again"
test -s "$work/again"
for page in LICENSE README.md CHANGELOG.md docs/how-to/install.md; do
  test -s "$work/prefix/share/doc/plait/$page" || { echo "$page is not installed"; exit 1; }
done
