#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Emulated nodes end with their script, whatever signal ends that, and give on its exit code.
# Usage: killed.sh PATH_OF_NODES; 77 where nodes cannot be emulated
set -uo pipefail
nodes=$1
"$nodes" 2 1000 true || exit $?

"$nodes" 1 1000 sh -c 'exit 5'
code=$?
((code == 5)) || { echo "the command's exit code 5 came back as $code"; exit 1; }

for signal in TERM KILL; do
  # A duration that nothing else sleeps for marks the command within.
  mark=864$RANDOM
  "$nodes" 2 1000 sleep "$mark" &
  script=$!
  for _ in $(seq 200); do pgrep -f "sleep $mark" -x > /dev/null && break; sleep 0.05; done
  pgrep -f "sleep $mark" -x > /dev/null || { echo "the command did not start"; exit 1; }
  kill -"$signal" "$script"
  wait "$script" 2> /dev/null
  for _ in $(seq 200); do pgrep -f "sleep $mark" -x > /dev/null || break; sleep 0.05; done
  if pgrep -f "sleep $mark" -x > /dev/null; then
    echo "the command outlived SIG$signal"
    exit 1
  fi
done
echo "ended cleanly"
