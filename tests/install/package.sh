#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Other projects find the installed package Plait, build against it and run: a program with regions,
# every header alone, a program by pkg-config, and the examples in C++, C and Fortran on two ranks.
# Usage: package.sh BUILD_FOLDER PREFIX CMAKE MPIEXEC [openmpi|mpich]
#   the last if the build is not for the machine's own MPI
set -euo pipefail
build=$1 prefix=$2 cmake=$3 mpiexec=$4 kind=${5:-}
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
  "$cmake" -S "$source" -B "$work/$name" -DCMAKE_PREFIX_PATH="$prefix" "${mpi[@]}" "$@" \
    > "$work/$name.log" 2>&1
}
compiled() { # name option...
  "$cmake" --build "$work/$1" --parallel 2 "${@:2}" > "$work/$1.log" 2>&1 ||
    { cat "$work/$1.log"; exit 1; }
}
built() { # as configured
  configured "$@" || { cat "$work/$1.log"; exit 1; }
  compiled "$1"
}

built consumer "$here/consumer"
"$work/consumer/consumer" | tee "$work/out"
grep -qx 'regions begun and ended' "$work/out"

mpicc=mpicc${kind:+.$kind}
command -v "$mpicc" > /dev/null || mpicc=mpicc
pc=$(dirname "$(find "$prefix" -name plait.pc)")
flags() { PKG_CONFIG_PATH=$pc pkg-config "$@" plait; }
if command -v pkg-config > /dev/null; then
  read -ra compile <<< "$(flags --cflags)"
  "$mpicc" "${compile[@]}" "$here/consumer/main.c" -o "$work/regions"
  "$work/regions" | grep -x 'regions begun and ended' > /dev/null
fi
if [[ ! -e $(echo "$prefix"/lib*/libplait.so) ]]; then
  echo "no library in this build: the rest is left out"
  exit 0
fi
echo "each header compiles alone"
if command -v pkg-config > /dev/null; then
  read -ra link <<< "$(flags --cflags --libs)"
  "$mpicc" "$here/consumer/library.c" "${link[@]}" -o "$work/library"
  LD_LIBRARY_PATH=$(flags --variable=libdir) timeout -k 5 60 "$mpiexec" -n 1 "$work/library" |
    grep -qx 'grid on 1 rank'
  echo "a program is built by pkg-config and runs"
fi

# The examples as they are installed; Fortran by the installed modules, then from source.
examples=$(dirname "$(find "$prefix" -name heat.cpp)")
built examples "$examples"
if [[ -e $work/examples/heat_fortran ]]; then
  cp "$work/examples/heat_fortran" "$work/heat_fortran_modules"
  configured examples "$examples" -DPlait_FORTRAN_FROM_SOURCE=ON ||
    { cat "$work/examples.log"; exit 1; }
  compiled examples --target heat_fortran
  test -e "$work"/examples/plait_fortran_module/plait.mod ||
    { echo "the module plait was not compiled from source"; exit 1; }
elif [[ -e $build/examples/heat_fortran ]]; then
  echo "the example in Fortran is missing"
  exit 1
fi
for program in "$work"/examples/heat{,_c,_fortran} "$work"/heat_fortran_modules; do
  if [[ ! -e $program ]]; then continue; fi # no Fortran compiler
  if readelf -d "$program" | sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p' | tr : '\n' |
    grep -F "$build" | grep -vF "$prefix"; then
    echo "$program looks for libraries in the build tree"
    exit 1
  fi
  OMP_NUM_THREADS=1 timeout -k 5 60 "$mpiexec" -n 2 "$program" | tee -a "$work/all"
done
[[ $(sort -u "$work/all" | wc -l) == 1 ]] || { echo "the examples disagree"; exit 1; }

# A project with another MPI than the library's gets the reason.
for other in openmpi mpich; do
  command -v "mpicc.$other" > /dev/null || continue
  mpi=(-DMPI_C_COMPILER="mpicc.$other")
  if configured "other-$other" "$here/refused"; then continue; fi
  # CMake breaks the line.
  tr -s ' \n' ' ' < "$work/other-$other.log" > "$work/out"
  grep -q 'Plait::solve: libplait.so was built for .*); choose the other by' "$work/out" ||
    { cat "$work/other-$other.log"; exit 1; }
  echo "a project with $other is refused, with a reason"
done
