#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plait report and plait compare at the command line: one clear line and an exit code for bad input.
# Usage: cli_test.sh PLAIT SCRATCH_FOLDER
set -u
plait=$1
work=$2
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
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

# refuse TEXT command...: exit code 2 and one line on standard error.
refuse() {
  text=$1
  shift
  expect 2 "$text" "$@"
  if [ "$(wc -l <err.txt)" -ne 1 ]; then
    echo "FAILED: $*: not one line"
    failures=$((failures + 1))
  fi
}

# make_run DIR VERSION: a run directory without records.
make_run() {
  mkdir -p "$1/records"
  cat >"$1/run.json" <<END
{"schema": "plait-run", "schema_version": $2, "command": ["./app", "</script><b>"],
 "state": "finished", "wall_s": 1.5, "exit_code": 0, "signal": null,
 "launcher": {"kind": "", "version": "", "path": ""}}
END
}

refuse "plait-runs: no run found there" "$plait" report
refuse "missing: no such directory" "$plait" report missing
mkdir empty
refuse "empty: not a run directory: run.json is missing" "$plait" report empty
touch file
refuse "file: not a run directory" "$plait" compare file file
mkdir damaged
echo '{"schema": "plait-r' >damaged/run.json
refuse "damaged: not JSON (line 1); run the program again under plait run" "$plait" report damaged
make_run other 9
refuse "version 9, but this Plait reads version 1" "$plait" report other

make_run no_records 1
rmdir no_records/records
refuse "no_records: no readable records: the folder 'records' is missing" "$plait" report no_records
make_run cut_off 1
echo PLAIT >cut_off/records/host-1.rec
refuse "cut_off: no readable records: cut_off/records/host-1.rec" "$plait" report cut_off
refuse "cut_off: no readable records: cut_off/records/host-1.rec" "$plait" report --json cut_off

if grep -q "again.*again" err.txt; then
  echo "FAILED: the remedy is printed twice"
  failures=$((failures + 1))
fi
refuse "missing: " "$plait" replay missing

make_run plait-runs/one 1
expect 0 "Nothing to report" "$plait" report
expect 0 "Nothing to report" "$plait" report plait-runs/one/profile.json
expect 0 '"schema": "plait-profile"' "$plait" report --json plait-runs/one
if grep -q "$(printf '\033')" out.txt; then
  echo "FAILED: colour without a terminal"
  failures=$((failures + 1))
fi

# A damaged profile is made again; without the page's template the report still works.
echo '{}' >plait-runs/one/profile.json
expect 0 "Nothing to report" "$plait" report --no-html plait-runs/one
rm -f plait-runs/one/report.html
expect 0 "no HTML page" env PLAIT_PREFIX="$work/nowhere" "$plait" report
[ ! -e plait-runs/one/report.html ] || failures=$((failures + 1))

# The page contains its data, escaped.
mkdir -p prefix/share/plait
echo '<script id="plait-data" type="application/json">null</script>' >prefix/share/plait/report.html
expect 0 "page.html" env PLAIT_PREFIX="$work/prefix" "$plait" report --html page.html
grep -qF 'u003c/script\u003e\u003cb\u003e' page.html || {
  echo "FAILED: the page's data is not escaped"
  failures=$((failures + 1))
}

make_run two 1
expect 0 "no difference: 1.50 s both" "$plait" compare plait-runs/one two
expect 0 '"schema": "plait-compare"' "$plait" compare --json plait-runs/one two --with two
echo '{"schema": "plait-machine", "host": "of_b"}' >two/machine.json
expect 0 "no difference: 1.50 s both" env PLAIT_PREFIX="$work/prefix" \
  "$plait" compare plait-runs/one two --html compared.html
for part in '"schema":"plait-compare"' '"schema":"plait-profile"' '"host":"of_b"'; do
  grep -qF "$part" compared.html || {
    echo "FAILED: $part is missing from the page of a comparison"
    failures=$((failures + 1))
  }
done
refuse "needs two run directories" "$plait" compare two
refuse "missing: no such directory" "$plait" compare two missing

# Two machine files.
"$plait" machine show --machine measured-example --json >a.json
"$plait" machine show --machine cluster-example --json >b.json
expect 0 "differs by more than its interval" "$plait" compare a.json a.json
expect 0 "figures that differ most" "$plait" compare a.json b.json
expect 0 '"schema": "plait-machine-comparison"' "$plait" compare --json a.json b.json
refuse "missing.json: cannot be read" "$plait" compare a.json missing.json
refuse "machine files have no page" "$plait" compare a.json b.json --html page.html
"$plait" machine show --machine clovertown --json >clovertown.json
refuse "no measurements of this machine" "$plait" compare a.json clovertown.json

[ $failures -eq 0 ]
