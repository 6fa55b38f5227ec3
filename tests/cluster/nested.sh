#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of jobs on a cluster; commands of plait cluster within one; an ordinary user's cluster.
# Usage: nested.sh PLAIT MPIEXEC; 77 where clusters are not allowed
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=install.sh
source "$(dirname "$0")/install.sh"
plait=$1 mpiexec=$2
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "nested: $*"; exit 1; }

job=$(dirname "$plait")/../tests/cluster_job_openmpi
[[ $("$mpiexec" --version) == *"Open"* && -x $job ]] || job=${job%openmpi}mpich
"$plait" cluster run --nodes 2 -- "$plait" run -q -o "$work/run" -- "$mpiexec" -n 4 "$job" \
  blocks 2 2 || exit $?
grep -q '"n1"' run/profile.json || fail "the profile knows no node n1"
"$plait" cluster run --nodes 2 -- "$mpiexec" -n 4 "$plait" run -q -o "$work/inner" "$job" \
  blocks 2 2 || fail "plait run within the launcher: $?"
grep -q '"n1"' inner/profile.json || fail "the inner profile knows no node n1"

# Each node has a /dev/shm of its own, so the head's spool is on no other node.
"$plait" cluster run --nodes 2 -- "$plait" run -q --spool /dev/shm -o "$work/spooled" -- \
  "$mpiexec" -n 4 "$job" blocks 2 2 || fail "a spool: $?"
[[ $(find spooled/records -name "*.records" | wc -l) == 2 ]] || fail "not all ranks were recorded"

# shellcheck disable=SC2016  # expanded in the cluster
"$plait" cluster run --nodes 2 -- sh -c '"$1" cluster rate 10mbit &&
  "$1" cluster exec n1 -- hostname && "$1" cluster status' sh "$plait" > inside ||
  fail "commands within a cluster"
[[ $(grep -cx -e n1 -e '.*10 Mbit/s.*' inside) == 2 ]] || fail "within: $(cat inside)"

if ((EUID == 0)); then
  copy_for_all "$work/install"
  setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work" XDG_RUNTIME_DIR= \
    "$plait" cluster run --nodes 2 -- "$mpiexec" -n 4 "$job" blocks 2 2
  code=$?
  ((code == 0 || code == 77)) || fail "as an ordinary user: $code"
fi
echo "all done"
