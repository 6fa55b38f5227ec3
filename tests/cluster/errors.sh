#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Invalid requests are refused in one line that names what is valid.
# Usage: errors.sh PLAIT; 77 where clusters are not allowed
set -uo pipefail
plait=$1
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap '"$plait" cluster down --all > /dev/null; rm -rf "$XDG_RUNTIME_DIR"' EXIT

refused() { # exit code, part of the message, arguments...
  local code=$1 part=$2 message
  shift 2
  message=$("$plait" cluster "$@" 2>&1 > /dev/null)
  local got=$?
  ((got == code)) || { echo "$*: exit code $got, not $code: $message"; exit 1; }
  [[ $message == "plait: error: "*"$part"* ]] || { echo "$*: prints '$message'"; exit 1; }
}
refused 2 "not up" status --name none
refused 2 "1 to 250 nodes" up --nodes 0
refused 2 "units: " up --rate 3furlong
refused 2 "8kbit to 100gbit" up --rate 1kbit
refused 2 "this process may use" up --cores-per-node 100000
refused 2 "not a cluster name" up --name ../a
refused 2 "up to 1s" up --latency 2s
refused 2 "not up" run -- true
"$plait" cluster up --nodes 1 > /dev/null || exit $?
refused 2 "already up" up --nodes 1
refused 2 "not a node" exec n1 -- true
refused 2 "no command to run" run
refused 127 "cannot be started" exec n0 -- /nonexistent/program

# A system without namespaces has its own exit code.
message=$(unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_net_namespaces &&
  exec "$@"' sh "$plait" cluster run --nodes 1 -- true 2>&1)
code=$?
[[ $code == 77 && $message == *"namespaces are not permitted"* ]] ||
  { echo "without network namespaces: $code '$message'"; exit 1; }
echo "all refused"
