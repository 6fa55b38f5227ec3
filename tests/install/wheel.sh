#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the wheel of plait_trace without network, installs it into a folder, and imports it there.
# Skips with exit code 77 if no Python has a setuptools that builds wheels.
# Usage: wheel.sh VERSION PYTHON...
#   the first PYTHON that can builds the wheel; the first that has numpy imports it
set -euo pipefail
version=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1 PIP_ROOT_USER_ACTION=ignore

can_build() { # python
  "$1" - 2> /dev/null << 'EOF'
import importlib.util
import setuptools
assert importlib.util.find_spec("pip")
version = tuple(int(part) for part in setuptools.__version__.split(".")[:2])
assert version >= (64, 0)
if version < (70, 1):
    import wheel
EOF
}

builder='' user=''
for python in "$@"; do
  if [[ -z $builder ]] && can_build "$python"; then builder=$python; fi
  if [[ -z $user ]] && "$python" -c 'import numpy' 2> /dev/null; then user=$python; fi
done
if [[ -z $builder ]]; then
  echo "skipped: none of $* has pip with setuptools 70.1, or setuptools 64 and wheel"
  exit 77
fi

# setuptools writes beside the sources.
cp -r "$here/../../python" "$work/source"
"$builder" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$work" "$work/source"
wheel="$work/plait_trace-$version-py3-none-any.whl"
[[ -e $wheel ]] || { ls "$work"; exit 1; }
"$builder" -m pip install --quiet --no-deps --target "$work/site" "$wheel"
if [[ -z $user ]]; then
  "$builder" -m compileall -q "$work/site/plait_trace"
  echo "built and installed, but not imported: none of $* has numpy"
  exit 0
fi
PYTHONPATH="$work/site" "$user" - "$work" << 'EOF'
import sys

import plait_trace

assert plait_trace.__file__.startswith(sys.argv[1]), plait_trace.__file__
assert plait_trace.EVENT_KINDS[1] == "send"
try:
    plait_trace.read(sys.argv[1])
except plait_trace.FormatError as error:
    print(error)
else:
    sys.exit("a folder without a trace was read")
EOF
