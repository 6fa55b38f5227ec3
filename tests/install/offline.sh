#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The source archive builds with no network and without the system's header libraries: only a
# compiler, cmake, MPI, hwloc and zstd, as a user without root has them on a cluster. Its build,
# linked again, gives the tarball of programs that need only glibc, which is copied into build/.
# Usage: offline.sh BUILD_FOLDER   (of a release build, whose report page goes into the archive)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:?usage: offline.sh BUILD_FOLDER}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

root=$PWD
archive=$(tools/dist "$build" | sed 's/^dist: //')
tar -xzf "$archive" -C "$work"
cd "$work"/plait-*
# The question is if it builds, not how fast it is: without optimization, and with Clang, it takes a
# third of the time.
if command -v clang++ > /dev/null; then export CC=clang CXX=clang++; fi
isolate=()
if unshare -rn true 2> /dev/null; then isolate=(unshare -rn); else echo "offline: warning: this system has no network namespaces, so the network stays reachable"; fi
"${isolate[@]}" cmake --preset release -DPLAIT_TESTS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON \
  -DCMAKE_C_FLAGS_RELEASE=-O0 -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_INSTALL_PREFIX="$work/prefix" -DPLAIT_NODE=PLAIT_NODE-NOTFOUND
"${isolate[@]}" cmake --build build/release --parallel "$(nproc)"
"${isolate[@]}" cmake --install build/release > /dev/null
"$work/prefix/bin/plait" --version
# Whatever MPI is installed here, programs of every MPI can be run under it.
objects=()
for abi in openmpi mpich abi; do
  objects+=("lib/plait/libplait-$abi.so" "lib/plait/libplait-mapper-$abi.so" "libexec/plait/plait-probe-$abi")
done
objects+=("lib/plait/libplait-signals.so" "lib/plait/libplait-wait.so")
for part in bin/plait-jacobi share/plait/report.html include/plait/region.h "${objects[@]}"; do
  test -e "$work/prefix/$part" || { echo "offline: $part is missing"; exit 1; }
done
if ldd "$work/prefix/bin/plait" | grep libfmt; then
  echo "offline: plait is linked with the system's fmt"
  exit 1
fi
echo "offline: built, installed and started without network"

# Without the system's fmt, as above. (OFF, because NOTFOUND would be searched again.)
"${isolate[@]}" cmake -B build/release -DPLAIT_PORTABLE=ON -DPLAIT_FMT_INCLUDE=OFF
"${isolate[@]}" tools/dist-binary build/release
cp build/plait-*-linux-*.tar.gz "$root/build/"
