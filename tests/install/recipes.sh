#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The recipes in packaging/, as far as they can be checked without Spack and a container engine:
# their versions, options, Debian packages and paths exist.
# Usage: recipes.sh VERSION
set -euo pipefail
version=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failed=0
problem() { echo "$*"; failed=1; }

# --- Containerfile ----------------------------------------------------------------------------
# One instruction per line, without comments and line ends within.
joined=$(grep -v '^#' packaging/Containerfile | sed -e ':again' -e '/\\$/{N;s/\\\n//;b again}')
unknown=$(grep -vE '^((FROM|ARG|RUN|ADD|WORKDIR|COPY|USER|CMD) |$)' <<< "$joined") &&
  problem "unknown instruction: $unknown"
grep -qx "ARG VERSION=$version" <<< "$joined" || problem "Containerfile: VERSION is not $version"
mapfile -t packages < <(grep -oE 'apt-get install .*' <<< "$joined" | sed 's/&&.*//' | tr ' ' '\n' |
  grep -vE '^(|apt-get|install|-.*|/.*)$' | sort -u)
((${#packages[@]} >= 12)) || problem "only ${#packages[@]} packages found: ${packages[*]}"
known=$(apt-cache pkgnames 2> /dev/null) || known=''
if grep -qx cmake <<< "$known"; then
  for package in "${packages[@]}"; do
    grep -qx -- "$package" <<< "$known" || problem "Containerfile: no Debian package $package"
  done
else
  echo "no package lists on this machine: the packages' names are not checked"
fi
while read -r script; do
  [[ -x $script ]] || problem "Containerfile runs $script, which is missing"
done < <(grep -oE 'tools/[a-z-]+' <<< "$joined")
# What the build needs beside what the source archive contains.
for package in cmake g++ libhwloc-dev libzstd-dev libopenmpi-dev; do
  [[ " ${packages[*]} " == *" $package "* ]] || problem "Containerfile does not install $package"
done
while read -r line; do
  bash -n <<< "${line#RUN }" || problem "not a shell command: $line"
done < <(grep '^RUN ' <<< "$joined")

# --- Spack ------------------------------------------------------------------------------------
recipe=packaging/spack/package.py
if command -v python3 > /dev/null; then
  options=$(python3 - "$recipe" "$version" << 'RECIPE'
"""Runs the recipe with stand-ins for Spack's names; prints the CMake options that it sets."""
import sys
import types

calls, defined = [], []
names = "license version variant depends_on generator conflicts".split()
stand_in = types.ModuleType("spack.package")
for name in names:
    setattr(stand_in, name, lambda *args, _name=name, **kw: calls.append((_name, args, kw)))
for name in ("run_after", "on_package_attributes"):
    setattr(stand_in, name, lambda *args, **kw: lambda function: function)
stand_in.Executable = None
stand_in.CMakePackage = type("CMakePackage", (), {
    "define": lambda self, name, value: defined.append(name) or f"-D{name}={value}"})
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = stand_in
scope = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), scope)
package = scope["Plait"]()
package.spec = types.SimpleNamespace(satisfies=lambda text: text.startswith("~"))
assert len(package.cmake_args()) == len(defined)
assert ("version", (sys.argv[2],), {}) in calls, "another version"
assert sys.argv[2] in package.url, "the url has another version"
assert {args[0] for name, args, _ in calls if name == "depends_on"} >= {"mpi", "hwloc@2:", "zstd"}
print("\n".join(defined))
RECIPE
  ) || problem "$recipe does not run"
  for option in $options; do
    case $option in
      CMAKE_DISABLE_FIND_PACKAGE_*)
        library=${option#CMAKE_DISABLE_FIND_PACKAGE_}
        grep -rqE "(find_package|plait_header_library)\($library " cmake solvers src ;;
      CMAKE_Fortran_COMPILER) true ;;
      *) grep -rqE "(option\(|set\()$option " cmake src CMakeLists.txt ;;
    esac || problem "$recipe sets $option, which the build does not read"
  done
fi
((failed == 0)) && echo "the recipes name ${#packages[@]} Debian packages and options that exist"
exit "$failed"
