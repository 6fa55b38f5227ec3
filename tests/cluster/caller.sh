#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Under sudo a cluster and its programs belong to the calling user; without it, the processes that
# keep a cluster have no capabilities once it is up.
# Usage: caller.sh PLAIT MPIEXEC JOB; 77 where clusters are not allowed, or only root has another user
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=install.sh
source "$(dirname "$0")/install.sh"
plait=$1 mpiexec=$2 job=$3
caller=65534 # nobody
((EUID == 0)) || { echo "skipped: not root"; exit 77; }
work=$(mktemp -d)
name=caller-$$
trap '"$plait" cluster down --name $name > /dev/null 2>&1; rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "caller: $*"; exit 1; }
unset SUDO_UID SUDO_GID SUDO_USER XDG_RUNTIME_DIR

head_of() { "$@" cluster status --name $name --json | sed -n 's/.*"head_pid": \([0-9]*\).*/\1/p'; }

# As root: what the cluster's processes may still do.
"$plait" cluster up --name $name --nodes 2 --latency 1ms > up.txt || exit $?
head=$(head_of "$plait")
processes=0
for process in "$head" $(pgrep -P "$head"); do
  grep -q '^CapEff:\s0000000000000000$' "/proc/$process/status" ||
    fail "$(cat "/proc/$process/comm") has $(grep CapEff "/proc/$process/status")"
  processes=$((processes + 1))
done
((processes == 4)) || fail "$processes processes instead of head, two nodes and switch"
"$plait" cluster exec --name $name n1 -- hostname | grep -x n1 > /dev/null || fail "n1 cannot be entered"
"$plait" cluster down --name $name > /dev/null || fail "does not end"

# As sudo starts it.
chmod 755 "$work"
copy_for_all "$work/install"
mkdir own
chown $caller own
echo secret > secret
chmod 600 secret
under_sudo=(env "SUDO_UID=$caller" "SUDO_GID=$caller" SUDO_USER=nobody "$plait")
caller_itself=(setpriv --reuid "$caller" --regid "$caller" --clear-groups "$plait")
"${under_sudo[@]}" cluster up --name $name --nodes 2 > up.txt
code=$?
((code == 0)) || { ((code == 77)) && exit 77; fail "under sudo: $code"; }
head=$(head_of "${caller_itself[@]}")
for process in "$head" $(pgrep -P "$head"); do
  [[ $(stat -c %u "/proc/$process") == "$caller" ]] || fail "process $process is not the caller's"
done
"${under_sudo[@]}" cluster exec --name $name n0 -- touch own/file || fail "exec under sudo"
[[ $(stat -c %u own/file) == "$caller" ]] || fail "the file belongs to $(stat -c %u own/file)"
"${under_sudo[@]}" cluster exec --name $name n0 -- cat secret 2> /dev/null && fail "root's file was read"
"${under_sudo[@]}" cluster exec --name $name n0 -- touch file 2> /dev/null && fail "root's folder was written"
"${caller_itself[@]}" cluster exec --name $name n1 -- hostname | grep -x n1 > /dev/null || fail "as the caller"
"${under_sudo[@]}" cluster rate --name $name 100mbit || fail "rate"
"${under_sudo[@]}" cluster run --name $name -- "$mpiexec" -n 4 "$job" blocks 2 2 || fail "a job: $?"
"${under_sudo[@]}" cluster down --name $name > /dev/null || fail "does not end under sudo"
"${under_sudo[@]}" cluster run --nodes 2 --latency 1ms -- sh -c 'touch own/other; exit 5'
code=$?
((code == 5)) || fail "the exit code 5 came back as $code"
[[ $(stat -c %u own/other) == "$caller" ]] || fail "with --nodes: not the caller's"
echo "all the caller's"
