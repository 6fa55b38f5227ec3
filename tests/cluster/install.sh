#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by tests that run as another user, who may not be allowed to enter the build folder.

# Copies the command, its objects and a job to FOLDER, where every user can run them, and sets
# `plait` and `job` to the copies: copy_for_all FOLDER
copy_for_all() {
  local from
  from=$(dirname "$plait")/..
  mkdir -p "$1/bin" "$1/lib" "$1/libexec" "$1/share"
  cp "$plait" "$job" "$1/bin"
  cp -r "$from/lib/plait" "$1/lib"
  cp -r "$from/libexec/plait" "$1/libexec"
  cp -r "$from/share/plait" "$1/share"
  chmod -R a+rX "$1"
  plait=$1/bin/$(basename "$plait") job=$1/bin/$(basename "$job")
}
