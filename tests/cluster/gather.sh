#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs on eight nodes that do not share the run directory: the records come in through MPI, those of
# a killed job with plait collect, and what is damaged or missing leaves the rest.
# Usage: gather.sh PLAIT MPIEXEC; 77 where clusters are not allowed
set -uo pipefail
plait=$1 mpiexec=$2
jacobi=$(dirname "$plait")/plait-jacobi
hidden=$(cd "$(dirname "$0")" && pwd)/on_hidden.sh
work=$(mktemp -d)
name=gather-$$
trap '"$plait" cluster down --name "$name" > "$work/down" 2>&1; rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "gather: $*"; exit 1; }
on() { "$plait" cluster run --name "$name" -- "$@"; }
options=()
[[ $("$mpiexec" --version) == *"Open"* ]] && options=(--oversubscribe)
job=("$mpiexec" "${options[@]}" -n 16)

"$plait" cluster up --name "$name" --nodes 8 > started || exit $?

# Only node n0 has the run directory.
mkdir shared
on "$plait" run -q --trace -o "$work/shared/run" -- "${job[@]}" "$hidden" "$work/shared" \
  "$jacobi" --size 40 --steps 5 > out || fail "the run: $?"
cd shared || exit 1
[[ $(find run/records -name '*.records' | wc -l) == 7 ]] || fail "containers: $(ls run/records)"
[[ $(find run/records -name '*.rec' | wc -l) == 2 ]] || fail "records: $(ls run/records)"
[[ $(find run/trace -name '*.ptrace' | wc -l) == 16 ]] || fail "traces: $(ls run/trace)"
grep -q '"complete": *false' run/profile.json && fail "a rank is not complete"
[[ -z $("$plait" cluster exec --name "$name" n5 -- find /dev/shm/tmp -name '*.rec') ]] ||
  fail "node n5 kept records"

# One container is missing, and one cut off.
containers=(run/records/*.records)
mv "${containers[0]}" kept
"$plait" report run > missing 2>&1 || fail "a missing container: $(cat missing)"
grep -q 'left no records' missing || fail "a missing container is not reported: $(cat missing)"
mv kept "${containers[0]}"
truncate -s -1 "${containers[1]}"
"$plait" report run > damaged 2>&1 || fail "a damaged container: $(cat damaged)"
[[ $(grep -c 'damaged: it is cut off' damaged) == 1 ]] || fail "damage: $(cat damaged)"
cd .. || exit 1

# A spool on each node.
on "$plait" run -q --spool /dev/shm/fast -o "$work/spooled" -- "${job[@]}" "$jacobi" --size 40 \
  --steps 5 > out || fail "a spool: $?"
[[ $(find spooled/records -name '*.records' | wc -l) == 8 ]] ||
  fail "spooled: $(ls spooled/records)"

# No rank has the run directory, which is on the head: one node has all records. The events are
# compressed, as the magic numbers of zstd where members begin say.
on "$plait" run -q --trace -o /dev/shm/run -- "${job[@]}" "$jacobi" --size 40 --steps 5 > out 2> err ||
  fail "a run on the head: $?"
[[ $(grep -c "no rank has the run directory" err) == 1 ]] || fail "the head: $(cat err)"
"$plait" cluster exec --name "$name" n0 -- "$plait" collect --output - /dev/shm/run \
  > n0.records || fail "collecting from n0"
grep -q LPTEVTS1 n0.records && fail "events are not compressed"
compressed=$(LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' n0.records |
  awk -F: '$1 % 4096 == 0' | wc -l)
[[ $compressed == 16 ]] || fail "of 16 ranks, $compressed compressed their events"
# shellcheck disable=SC2016  # expanded in the cluster
on sh -c 'cp n0.records /dev/shm/run/records && "$1" report /dev/shm/run' sh "$plait" > report ||
  fail "the report: $(cat report)"
grep -q '^16 ranks on 8 hosts' report || fail "the report: $(cat report)"
on test -s /dev/shm/run/analysis.json || fail "the trace is not analysed: $(cat report)"

# A job that is killed.
on "$plait" run -q -o "$work/shared/killed" --time-limit 5 -- "${job[@]}" "$hidden" \
  "$work/shared" "$jacobi" --size 40 --steps 100000000 > out 2>&1
[[ $? == 124 ]] || fail "the time limit"
for node in n1 n7; do
  "$plait" cluster exec --name "$name" $node -- "$plait" collect --output - \
    "$work/shared/killed" > "shared/killed/records/$node.records" || fail "collecting from $node"
done
"$plait" report shared/killed > killed 2>&1 || fail "the killed run: $(cat killed)"
grep -q 'of 16 left no records' shared/killed/profile.json || fail "the killed run: $(cat killed)"
"$plait" cluster exec --name "$name" n7 -- "$plait" collect --output - "$work/shared/killed" \
  2> again > /dev/null
grep -q 'Nothing of this run is left' again || fail "collected twice: $(cat again)"
echo "all done"
