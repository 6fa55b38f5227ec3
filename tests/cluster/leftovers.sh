#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Nothing is left of a cluster when any of its processes is killed; an interrupted job ends with all
# that it started, and its cluster stays; two clusters can be up at the same time.
# Usage: leftovers.sh PLAIT; 77 where clusters are not allowed
set -uo pipefail
plait=$1
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap '"$plait" cluster down --all > /dev/null; rm -rf "$XDG_RUNTIME_DIR"' EXIT
fail() { echo "leftovers: $*"; exit 1; }

# Waits until processes with this command line run, or none does.
await() { # yes|no command line [how many]
  local running
  for _ in $(seq 750); do
    running=$(pgrep -f -x -c -- "$2")
    [[ $1 == yes ]] && ((running >= ${3:-1})) && return
    [[ $1 == no ]] && ((running == 0)) && return
    sleep 0.02
  done
  fail "'$2': still not $1"
}

# False for zombies.
runs() { # process
  grep -q '^State:[[:space:]]*[A-Yt]' "/proc/$1/status" 2> /dev/null
}

"$plait" cluster run --nodes 1 -- true || exit $?
"$plait" cluster run --nodes 1 -- sh -c 'exit 5'
code=$?
((code == 5)) || fail "the exit code 5 came back as $code"

for victim in run head node switch; do
  mark=864$RANDOM # a duration that no other sleep uses
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
  for _ in $(seq 250); do runs "$head" || break; sleep 0.02; done
  runs "$head" && fail "the head outlived $victim"
  "$plait" cluster status > /dev/null
  [[ -z $(ls "$XDG_RUNTIME_DIR/plait/clusters") ]] || fail "a folder outlived $victim"
done

"$plait" cluster up --name a --nodes 2 > /dev/null || fail "no first cluster"
"$plait" cluster up --name b --nodes 2 --rate 10mbit > /dev/null || fail "no second cluster"
mark=864$RANDOM
"$plait" cluster exec --name a n1 -- sh -c "setsid sleep $mark & sleep $mark" &
"$plait" cluster exec --name b n1 -- hostname | grep -x n1 > /dev/null || fail "b has no node n1"
await yes "sleep $mark"
"$plait" cluster down --name a > /dev/null || fail "a does not end"
await no "sleep $mark"
"$plait" cluster status --name b > /dev/null || fail "b ended with a"

# A tree of processes on two nodes. Job control keeps SIGINT from being ignored in the background.
set -m
# shellcheck disable=SC2016  # expanded in the cluster
tree='setsid sleep $1 & "$0" cluster exec n1 -- sleep $1 & wait'
for signal in TERM INT ^C; do
  mark=864$RANDOM
  job=("$plait" cluster run --name b -- sh -c "$tree" "$plait" "$mark")
  if [[ $signal != ^C ]]; then
    "${job[@]}" &
    run=$!
    await yes "sleep $mark" 2
    kill -"$signal" "$run"
    wait "$run"
  elif command -v script > /dev/null; then
    { await yes "sleep $mark" 2; printf '\003'; } | script -qec "${job[*]@Q}" /dev/null > /dev/null
  fi
  code=$?
  [[ $code == 143 || $code == 130 ]] || fail "after $signal the exit code was $code"
  await no "sleep $mark"
  "$plait" cluster exec --name b n1 -- true || fail "the cluster ended with $signal"
done
set +m

"$plait" cluster run --name b --time-limit 0.3 -- sh -c "setsid sleep $mark & sleep $mark"
code=$?
((code == 124)) || fail "after the time limit the exit code was $code"
await no "sleep $mark"

"$plait" cluster down --name b > /dev/null || fail "b does not end"
[[ -z $(ls "$XDG_RUNTIME_DIR/plait/clusters") ]] || fail "a folder outlived its cluster"
pgrep -f -- "--(head|job) $XDG_RUNTIME_DIR" > /dev/null && fail "processes outlived their cluster"
echo "nothing was left"
