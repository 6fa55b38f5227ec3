#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tarball of `make dist-binary`: needs only glibc, runs where it is unpacked and after it is
# moved, and profiles an MPI program. Skips with exit code 77 if there is no tarball.
# Usage: binary.sh VERSION [MPIEXEC]
set -euo pipefail
version=$1 mpiexec=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
archive=$here/../../build/plait-$version-linux-$(uname -m).tar.gz
[[ -e $archive ]] || { echo "skipped: ${archive##*/} not found; run make dist-binary"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$archive" -C "$work"
unpacked=("$work"/*)
((${#unpacked[@]} == 1)) || { echo "more than one folder: ${unpacked[*]}"; exit 1; }
mkdir "$work/moved"
plait_folder=$work/moved/elsewhere
mv "${unpacked[0]}" "$plait_folder"

# --- what the files need ----------------------------------------------------------------------
glibc='^(libc|libm|libdl|libpthread|librt|ld-linux.*)\.so\.[0-9]+$'
newest=0
checked=0
while IFS= read -r -d '' file; do
  dynamic=$(readelf -d "$file" 2> /dev/null) || continue
  [[ $dynamic == *NEEDED* ]] || continue
  if sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' <<< "$dynamic" | grep -vE "$glibc"; then
    echo "$file needs a library besides glibc's"
    exit 1
  fi
  if grep -E 'R(UN)?PATH' <<< "$dynamic"; then echo "$file has a library path"; exit 1; fi
  if ldd "$file" 2>&1 | grep 'not found'; then exit 1; fi
  of_file=$(readelf -V "$file" | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1)
  of_file=${of_file#GLIBC_2.}
  if ((${of_file:-0} > newest)); then newest=$of_file; fi
  checked=$((checked + 1))
done < <(find "$plait_folder" -type f -print0)
# plait, plait-bind, plait-node-shell, and a preload object, a mapper and a probe at least
((checked >= 6)) || { echo "only $checked programs and objects in the tarball"; exit 1; }
echo "$checked programs and objects need only glibc 2.$newest or newer"

# --- that it runs -----------------------------------------------------------------------------
plait=$plait_folder/bin/plait
[[ $("$plait" --version) == "plait $version" ]]
# An empty environment: nothing of this shell's helps.
clean=(env -i "PATH=$PATH" "HOME=$work")
"${clean[@]}" "$plait" --help > /dev/null
"${clean[@]}" "$plait" doctor > "$work/doctor" || { cat "$work/doctor"; exit 1; }
grep -q '^Preload ' "$work/doctor"
"${clean[@]}" "$plait" place "2 ranks x 1 thread" > /dev/null
if [[ -n $mpiexec ]] && command -v mpicc > /dev/null; then
  mpicc -I"$plait_folder/include" "$here/consumer/main.c" -o "$work/consumer"
  timeout -k 5 60 "$plait" run --output "$work/run" -- "$mpiexec" -n 2 "$work/consumer" \
    > "$work/out" 2> "$work/report" || { cat "$work/report"; exit 1; }
  grep -q MPI_Barrier "$work/run/profile.json" ||
    { echo "the profile has no MPI_Barrier: the preload object was not found"; exit 1; }
  test -s "$work/run/report.html" || [[ ! -e $plait_folder/share/plait/report.html ]]
fi
for part in LICENSE README.md docs/how-to/install.md third_party/hwloc/LICENSE; do
  test -s "$plait_folder/share/doc/plait/$part" || { echo "$part is missing"; exit 1; }
done
echo "plait runs from the folder to which it was moved"
