#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait apply on programs that say what they took: kept, not kept, crashed and in quarantine.

check_apply.py PLAIT SCRATCH_FOLDER [VALIDATE_PY SCHEMA]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from expectations import exit_code, expect

PLAIT, SCRATCH = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
shutil.rmtree(SCRATCH, ignore_errors=True)
SCRATCH.mkdir(parents=True)
ENVIRONMENT = {**os.environ, "XDG_STATE_HOME": str(SCRATCH / "state"),
               "XDG_DATA_HOME": str(SCRATCH / "data")}
TOOK = ["--time-from", "took ([0-9.]+)"]
PROGRAM = ["sh", "-c", "test -z \"$CRASHES\" || kill -SEGV $$; echo took ${TAKES:-4}"]


def plait(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, *arguments], capture_output=True, text=True, env=ENVIRONMENT,
                          cwd=SCRATCH, check=False)


def apply(name, *arguments, pairs=6):
    """plait apply, and its JSON."""
    done = plait("apply", "--output", name, *TOOK, "--repeat", str(pairs), *arguments, "--",
                 *PROGRAM)
    file = SCRATCH / name / "apply.json"
    return done, json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def check_kept():
    """A setting that halves the time is kept, as a plan that can be applied again."""
    done, report = apply("faster", "--set", "TAKES=2", "--keep", "won.json", "--html", "won.html")
    page = SCRATCH / "won.html"
    if page.exists():  # it is left out where Plait was built without node
        expect('"apply":{' in page.read_text(encoding="utf-8"), "the page holds no runs")
    expect(done.returncode == 0 and "Kept: TAKES=2 is 2.00" in done.stdout, f"{done}")
    expect(report.get("ratio") == {"value": 2, "low": 2, "high": 2}, f"{report.get('ratio')}")
    expect(len(report.get("pairs", [])) == 6 and report["kept"], f"{report}")
    again, _ = apply("again", "won.json", "--keep", "again.json")
    expect(again.returncode == 0 and "Measured: 2.00" in
           json.loads((SCRATCH / "again.json").read_text(encoding="utf-8"))["reason"], f"{again}")
    alone, _ = apply("same", "--set", "TAKES=2", "--same-output")
    expect(alone.returncode == 1 and "differs from that of the first run" in
           " ".join(alone.stdout.split()), f"{alone}")


def check_not_kept():
    """What is not faster is not kept, nor what too few pairs say."""
    for name, takes, verdict in (("slower", "5", "Not kept: measured"),
                                 ("equal", "4", "Undecided, and not kept: measured")):
        done, report = apply(name, "--set", f"TAKES={takes}", "--keep", "lost.json")
        expect(done.returncode == 1 and verdict in " ".join(done.stdout.split()), f"{done}")
        expect(not report["kept"] and not (SCRATCH / "lost.json").exists(), f"{report}")
    done, _ = apply("few", "--set", "TAKES=2", pairs=3)
    expect(done.returncode == 1 and "too few" in done.stdout, f"{done}")


def check_quarantine():
    """A setting that crashes is named among others, refused the next time, and removed."""
    done, report = apply("crash", "--set", "TAKES=2", "--set", "CRASHES=1")
    expect(done.returncode == 1 and "crashed with SIGSEGV" in done.stdout, f"{done}")
    expect([entry["settings"] for entry in report["quarantined"]] == [["CRASHES=1"]], f"{report}")
    refused, _ = apply("refused", "--set", "CRASHES=1")
    expect(refused.returncode == 1 and "in quarantine" in refused.stderr, f"{refused}")
    number = report["quarantined"][0]["id"]
    listed = plait("doctor")
    expect(number in listed.stdout and "CRASHES=1" in listed.stdout, f"{listed}")
    expect(json.loads(plait("doctor", "--json").stdout)["quarantine"][0]["id"] == number, "JSON")
    expect(plait("doctor", "--forget", number).returncode == 0, "not removed")
    expect(plait("doctor", "--forget", number).returncode == 2, "removed twice")


def check_errors():
    """An error is one line, and nothing is run."""
    for arguments, word in ((["apply"], "no program to run"),
                            (["apply", "--", "true"], "no plan to apply"),
                            (["apply", "missing.json", "--", "true"], "missing.json"),
                            (["apply", "--set", "A", "--", "true"], "NAME=VALUE"),
                            (["apply", "--set", "A=1", "--time-from", "(", "--", "true"],
                             "regular expression")):
        done = plait(*arguments)
        expect(done.returncode != 0 and word in done.stderr, f"{arguments}: {done}")


check_kept()
check_not_kept()
check_quarantine()
check_errors()
if len(sys.argv) > 4:
    for folder in ("faster", "slower", "crash"):
        valid = subprocess.run([sys.executable, sys.argv[3], sys.argv[4],
                                str(SCRATCH / folder / "apply.json")], check=False)
        expect(valid.returncode in (0, 77), f"{folder}/apply.json does not fit its schema")
sys.exit(exit_code())
