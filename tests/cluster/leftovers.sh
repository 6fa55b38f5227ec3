#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Whichever process of a cluster is killed, nothing is left of it; two clusters stand side by side.
# Usage: leftovers.sh PLAIT; 77 where clusters are not allowed
set -uo pipefail
plait=$1
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap '"$plait" cluster down --all > /dev/null; rm -rf "$XDG_RUNTIME_DIR"' EXIT
fail() { echo "leftovers: $*"; exit 1; }

# Waits until a process runs (or none does) whose whole command line is this.
await() { # yes|no command line
  for _ in $(seq 300); do
    if pgrep -f -x -- "$2" > /dev/null; then [[ $1 == yes ]] && return; else
      [[ $1 == no ]] && return
    fi
    sleep 0.05
  done
  fail "'$2': still not $1"
}

"$plait" cluster run --nodes 1 -- true || exit $?
"$plait" cluster run --nodes 1 -- sh -c 'exit 5'
code=$?
((code == 5)) || fail "the exit code 5 came back as $code"

for victim in run head node switch; do
  mark=864$RANDOM # a duration that nothing else sleeps for
  "$plait" cluster run --name "t$mark" --nodes 2 --latency 1ms -- \
    sh -c "setsid sleep $mark & wait" 2> /dev/null &
  run=$!
  await yes "sleep $mark"
  head=$("$plait" cluster status --name "t$mark" --json |
    sed -n 's/.*"head_pid": \([0-9]*\).*/\1/p')
  case $victim in
    run) kill -KILL $run ;;
    head) kill -KILL "$head" ;;
    node) pkill -KILL -P "$head" -x n1 ;;
    switch) pkill -KILL -P "$head" -x switch ;;
  esac
  wait $run 2> /dev/null
  await no "sleep $mark"
  for _ in $(seq 100); do kill -0 "$head" 2> /dev/null || break; sleep 0.05; done
  kill -0 "$head" 2> /dev/null && fail "the head outlived $victim"
  "$plait" cluster status > /dev/null
  [[ -z $(ls "$XDG_RUNTIME_DIR/plait/clusters") ]] || fail "a folder outlived $victim"
done

"$plait" cluster up --name a --nodes 2 > /dev/null || fail "no first cluster"
"$plait" cluster up --name b --nodes 2 --rate 10mbit > /dev/null || fail "no second cluster"
mark=864$RANDOM
"$plait" cluster exec --name a n1 -- sh -c "setsid sleep $mark & sleep $mark" &
"$plait" cluster exec --name b n1 -- hostname | grep -qx n1 || fail "b has no node n1"
await yes "sleep $mark"
"$plait" cluster down --name a > /dev/null || fail "a does not end"
await no "sleep $mark"
"$plait" cluster status --name b > /dev/null || fail "b ended with a"

"$plait" cluster run --name b --time-limit 1 -- sh -c "setsid sleep $mark & sleep $mark"
code=$?
((code == 124)) || fail "after the time limit the exit code was $code"
await no "sleep $mark"
echo "nothing was left"
