#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Projects of their own find the installed package Plait, build against it and run: a program with
# regions, every header alone, and the examples in C++, C and Fortran on two ranks.
# Usage: package.sh BUILD_FOLDER CMAKE MPIEXEC [openmpi|mpich]
#   the last when the build is not for the machine's own MPI
set -euo pipefail
build=$1 cmake=$2 mpiexec=$3 kind=${4:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

wrappers() { # kind; the options by which CMake takes that MPI
  echo -DMPI_C_COMPILER="mpicc.$1" -DMPI_CXX_COMPILER="mpicxx.$1" -DMPI_Fortran_COMPILER="mpifort.$1"
}
mpi=()
if [[ -n $kind ]]; then read -ra mpi <<< "$(wrappers "$kind")"; fi

configured() { # name source option...
  local name=$1 source=$2
  shift 2
  "$cmake" -S "$source" -B "$work/$name" -DCMAKE_PREFIX_PATH="$work/prefix" "${mpi[@]}" "$@" \
    > "$work/$name.log" 2>&1
}
built() { # as configured
  configured "$@" || { cat "$work/$1.log"; exit 1; }
  "$cmake" --build "$work/$1" --parallel 2 > "$work/$1.log" 2>&1 || { cat "$work/$1.log"; exit 1; }
}

"$cmake" --install "$build" --prefix "$work/prefix" > "$work/install.log"
built consumer "$here/consumer"
"$work/consumer/consumer" | tee "$work/out"
grep -qx 'regions begun and ended' "$work/out"
if [[ ! -e $(echo "$work"/prefix/lib*/libplait.so) ]]; then
  echo "no library in this build: the rest is left out"
  exit 0
fi

built headers "$here/headers"
echo "each header compiles alone"

# The examples, as they lie in the prefix; Fortran by the installed modules, then from source.
examples=$(dirname "$(find "$work/prefix" -name heat.cpp)")
built examples "$examples"
built source "$examples" -DPlait_FORTRAN_FROM_SOURCE=ON
for program in "$work"/examples/heat "$work"/examples/heat_c \
  "$work"/examples/heat_fortran "$work"/source/heat_fortran; do
  # Fortran is where a compiler is, in this build as in the project.
  if [[ ! -e $program && ! -e $build/examples/heat_fortran ]]; then continue; fi
  if readelf -d "$program" | grep -E 'R(UN)?PATH' | grep -F "$build"; then
    echo "$program looks for libraries in the build tree"
    exit 1
  fi
  OMP_NUM_THREADS=1 timeout -k 5 60 "$mpiexec" -n 2 "$program" | tee -a "$work/all"
done
[[ $(sort -u "$work/all" | wc -l) == 1 ]] || { echo "the examples disagree"; exit 1; }

# A project with another MPI than the library's is told so.
for other in openmpi mpich; do
  command -v "mpicc.$other" > /dev/null || continue
  read -ra mpi <<< "$(wrappers "$other")"
  if configured "other-$other" "$examples"; then continue; fi
  # CMake breaks the line.
  tr -s ' \n' ' ' < "$work/other-$other.log" > "$work/out"
  grep -q 'Plait::solve: libplait.so was built for .*); choose the other by' "$work/out" ||
    { cat "$work/other-$other.log"; exit 1; }
  echo "a project with $other is refused, with a reason"
done
