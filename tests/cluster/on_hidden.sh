#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a program on a node of a cluster; only node n0 sees what is in FOLDER.
# Usage: on_hidden.sh FOLDER PROGRAM [ARGUMENT...]
folder=$1
shift
[ "$(hostname)" = n0 ] && exec "$@"
# shellcheck disable=SC2016  # expanded in the new namespace
exec unshare --mount sh -c 'mount -t tmpfs hidden "$0" && exec "$@"' "$folder" "$@"
