#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plait export and plait report with samples at the command line: files, selection, refusals.
# Usage: cli_test.sh PLAIT SAMPLES_JSON SCRATCH_FOLDER
set -u
plait=$1
samples=$2
work=$3
rm -rf "$work" && mkdir -p "$work/run" && cd "$work" || exit 1
failures=0

# expect CODE TEXT command...: exit code, and TEXT in what it prints.
expect() {
  code=$1 text=$2
  shift 2
  "$@" >out.txt 2>err.txt
  got=$?
  if [ $got -ne "$code" ] || ! cat out.txt err.txt | grep -F -- "$text" > /dev/null; then
    echo "FAILED: $*: exit code $got (expected $code), expected text: $text"
    cat out.txt err.txt
    failures=$((failures + 1))
  fi
}

# has FILE TEXT: the file has the text.
has() {
  grep -F -- "$2" "$1" > /dev/null && return
  echo "FAILED: not in $1: $2"
  failures=$((failures + 1))
}

expect 2 "run: this run has no samples; run the program with plait run --sample" \
  "$plait" export run --to folded
cp "$samples" run/samples.json
expect 0 "Exported 1600 samples to run/export/samples.folded" "$plait" export run --to folded
has run/export/samples.folded "rank 1;thread 0;<module>;main;solve(Mesh&, int);assemble(Mesh&) 150"
expect 2 "run/export/samples.folded" "$plait" export run --to folded
expect 0 "Exported 800 samples" "$plait" export run --to folded --ranks 1 --force
expect 0 "Exported 1600 samples to x.json" "$plait" export run --to speedscope -o x.json
has x.json "speedscope.app/file-format-schema.json"
expect 0 "Exported 1600 samples" "$plait" export run --to pprof
gzip -t run/export/samples.pb.gz || failures=$((failures + 1))
expect 2 "this format has no times; leave out --from and --until" \
  "$plait" export run --to pprof --from 1s --force
expect 2 "otf2, perfetto" "$plait" export run --to nothing
echo '{"schema": "plait-samples", "schema_version": 1}' >run/samples.json
expect 2 "run/samples.json" "$plait" export run --to folded --force
[ "$failures" -eq 0 ]
