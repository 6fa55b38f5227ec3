#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait tune on the profile of a real run, with a launcher that makes times up.

Environment: PLAIT, MPIEXEC (Open MPI), MESSAGES (a program), SCHEMA, VALIDATE. The launcher is a
script, so that a tuning takes little time and its result depends on no time. What it writes for
collective operations is then read by the real Open MPI, which counts the messages of the algorithm.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

PLAIT = os.environ["PLAIT"]
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="plait-tune-"))
ENVIRONMENT = {**os.environ, "XDG_STATE_HOME": str(SCRATCH / "state"),
               "XDG_DATA_HOME": str(SCRATCH / "data"), "OMPI_MCA_mpi_yield_when_idle": "1"}
RANKS = "3"
problems = 0

LAUNCHER = """#!/bin/sh
# Without settings a run takes 100; a good eager limit and a good algorithm each make it shorter.
if [ "$1" = --version ]; then echo "mpiexec (OpenRTE) 4.1.4"; exit; fi
took=1000
test "$OMPI_MCA_btl_vader_eager_limit" != 16384 || took=600
case "$OMPI_MCA_coll_tuned_dynamic_rules_filename" in
  *bcast3-3*) test -r "$OMPI_MCA_coll_tuned_dynamic_rules_filename" && took=$((took * 8 / 10)) ;;
  *bcast3-1*) took=$((took * 2)) ;;
esac
test "$OMPI_MCA_btl_vader_single_copy_mechanism" != none || kill -SEGV $$
echo x >> {scratch}/count
case "$*" in
  *plait-probe*)  # as the first rank: variables, and a time for each step of the plan
    eval "plan=\${$(($# - 1))}"
    echo "variable btl_vader_eager_limit ${OMPI_MCA_btl_vader_eager_limit:-4096}"
    grep "^step" "$plan" | grep -n . | while IFS=: read -r number step; do
      echo "cell $((number - 1)) 8 0 0 : $took"
    done
    echo end ;;
esac
test ! -e {scratch}/kill-at || test $(wc -l < {scratch}/count) -ne $(cat {scratch}/kill-at) ||
  kill -KILL $PPID
echo "took $took"
"""

INFO = """#!/bin/sh
b=mca:btl:vader:param:btl_vader_ c=mca:coll:tuned:param:coll_tuned_
echo "${b}eager_limit:value:${OMPI_MCA_btl_vader_eager_limit:-4096}"
echo "${b}max_send_size:value:32768"
echo "${b}single_copy_mechanism:value:${OMPI_MCA_btl_vader_single_copy_mechanism:-cma}"
echo "${b}single_copy_mechanism:enumerator:value:1:cma"
echo "${b}single_copy_mechanism:enumerator:value:3:none"
echo "${c}use_dynamic_rules:value:${OMPI_MCA_coll_tuned_use_dynamic_rules:-false}"
echo "${c}dynamic_rules_filename:value:$OMPI_MCA_coll_tuned_dynamic_rules_filename"
test -n "$NO_BCAST" || echo "${c}bcast_algorithm:enumerator:value:1:basic_linear"
test -n "$NO_BCAST" || echo "${c}bcast_algorithm:enumerator:value:3:pipeline"
"""


def expect(fact, what):
    """Counts what is not as it should be."""
    global problems  # pylint: disable=global-statement
    if not fact:
        problems += 1
        print(f"NOT: {what}", file=sys.stderr)


def run(*command, **more):
    """The finished command."""
    return subprocess.run(command, capture_output=True, text=True, env={**ENVIRONMENT, **more},
                          cwd=SCRATCH, check=False, timeout=120)


def tune(*arguments):
    """plait tune with the launcher that makes times up."""
    return run(PLAIT, "tune", "--time-from", "took ([0-9.]+)", *arguments)


def state(folder):
    """tune.json."""
    return json.loads((SCRATCH / folder / "tune.json").read_text(encoding="utf-8"))


def make_launcher():
    """Scripts in place of Open MPI."""
    (SCRATCH / "fake").mkdir()
    for name, text in ("mpiexec", LAUNCHER.replace("{scratch}", str(SCRATCH))), ("ompi_info", INFO):
        (SCRATCH / "fake" / name).write_text(text, encoding="utf-8")
        (SCRATCH / "fake" / name).chmod(0o755)
    return [str(SCRATCH / "fake/mpiexec"), "-n", RANKS, "app"]


def check_profile():
    """The profile of a program that broadcasts and exchanges."""
    done = run(PLAIT, "run", "--quiet", "-o", "profile", "--", *os.environ["MPIEXEC"].split(), "-n",
               RANKS, os.environ["MESSAGES"], "300", "20000", "8192")
    expect(done.returncode == 0, f"{done}")
    plan = run(PLAIT, "tune", "--dry-run", "profile")
    expect(plan.returncode == 0 and "legal according to ompi_info" in plan.stdout
           and "eager limit 16 KiB: " in plan.stdout
           and f"MPI_Bcast on {RANKS} ranks: " in plan.stdout and "pipeline" in plan.stdout,
           f"{plan}")
    expect(all(len(line) <= 80 for line in plan.stdout.splitlines()), f"{plan.stdout}")


def check_tuning(command):
    """The best settings together, a crash in quarantine, the plan and its other forms."""
    done = tune("profile", "-o", "tuned", "--emit", "env", "--emit", "mca-params", "--emit",
                "rules", "--", *command)
    expect(done.returncode == 0 and done.stdout.startswith("2.08 times as fast with "), f"{done}")
    expect(all(len(line) <= 80 for line in done.stdout.splitlines()
               if not line.startswith(("JSON", "Plan", "Rules", "Shell", "MCA"))), f"{done.stdout}")
    result = state("tuned")
    names = [result["candidates"][i]["name"] for i in result["result"]["chosen"]]
    expect(sorted(names) == ["MPI_Bcast on 3 ranks: pipeline", "eager limit 16 KiB"], f"{names}")
    expect(len(result["quarantined"]) == 1, f"{result['quarantined']}")
    expect("btl_vader_eager_limit is 16384 (MPI_T, in a rank)" in result["result"]["read_back"],
           f"{result['result']}")
    screened = [one for one in result["contests"] if one["stage"] in ("screening", "proving")]
    expect(result["probed"] and all(one.get("probes") or one["failure"] for one in screened),
           f"settings were not screened on the probe: {screened}")
    valid = run(sys.executable, os.environ["VALIDATE"], os.environ["SCHEMA"], "tuned/tune.json")
    expect(valid.returncode in (0, 77), f"tune.json does not fit its schema: {valid}")
    page = (SCRATCH / "tuned/tune.html").read_text(encoding="utf-8")
    expect('"tuning":' in page and "OMPI_MCA_btl_vader_eager_limit=16384" in page,
           "tune.html does not show the plan")
    rules = SCRATCH / "tuned/coll-bcast3-3.conf"
    shell = (SCRATCH / "tuned/settings.sh").read_text(encoding="utf-8")
    expect(f"export OMPI_MCA_coll_tuned_dynamic_rules_filename={rules}" in shell, shell)
    params = (SCRATCH / "tuned/mca-params.conf").read_text(encoding="utf-8")
    expect("btl_vader_eager_limit = 16384\n" in params, params)
    again = tune("profile", "--dry-run", "--", *command)
    expect("not tried: single copy: none: in quarantine" in again.stdout, f"{again}")
    applied = run(PLAIT, "apply", "plait-plan.json", "--repeat", "6", "--time-from",
                  "took ([0-9.]+)", "--", *command)
    expect(applied.returncode == 0 and "2.08 times as fast" in applied.stdout, f"{applied}")


def check_resumed(command):
    """A tuning that is killed goes on where it was."""
    (SCRATCH / "count").unlink()
    (SCRATCH / "kill-at").write_text("9", encoding="utf-8")
    killed = tune("profile", "-o", "killed", "--", *command)
    expect(killed.returncode == -signal.SIGKILL, f"{killed}")
    # Pairs beside which other programs were busy do not count.
    pairs = sum(len(one["pairs"]) + len(one.get("probes", [])) + one["disturbed"]
                for one in state("killed")["contests"])
    expect(pairs == 3, f"{pairs} pairs")
    resumed = run(PLAIT, "tune", "--resume", "killed", "--json")
    (SCRATCH / "kill-at").unlink()
    expect(resumed.returncode == 0, f"{resumed}")
    first, same = json.loads(resumed.stdout)["contests"][0], state("tuned")["contests"][0]
    expect({**first, "disturbed": 0} == {**same, "disturbed": 0}, f"{first}, not {same}")


def messages_of(rules):
    """How many ranks rank 0 sends broadcasts to, as Open MPI counts it."""
    done = run(*os.environ["MPIEXEC"].split(), "-n", RANKS, os.environ["MESSAGES"], "10", "20000",
               OMPI_MCA_pml_monitoring_enable="1", OMPI_MCA_pml_monitoring_enable_output="3",
               OMPI_MCA_pml_monitoring_filename=str(SCRATCH / "seen"),
               OMPI_MCA_coll_tuned_use_dynamic_rules="1",
               OMPI_MCA_coll_tuned_dynamic_rules_filename=rules)
    expect(done.returncode == 0, f"{done}")
    text = (SCRATCH / "seen.0.prof").read_text(encoding="utf-8")
    return len([1 for count in re.findall(r"^E\t0\t\d+\t\d+ bytes\t(\d+) msgs", text, re.M)
                if int(count) >= 10])


def check_rules():
    """Open MPI runs the algorithm of the rules: a pipeline has one receiver, not two."""
    rules = SCRATCH / "tuned/coll-bcast3-3.conf"
    expect(messages_of(str(rules)) == 1, "the pipeline of the rules did not run")
    linear = SCRATCH / "linear.conf"
    linear.write_text(rules.read_text(encoding="utf-8").replace("0 3 0 0", "0 1 0 0"),
                      encoding="utf-8")
    expect(messages_of(str(linear)) == 2, "the linear algorithm of the rules did not run")


def check_values():
    """A rank of the probe reads the value that is in effect."""
    plan = SCRATCH / "values.plan"
    plan.write_text("plait-probe-plan 1\nlibrary libmpi.so.40\npus -1 -1\n"
                    "variable btl_vader_eager_limit\n", encoding="utf-8")
    probe = pathlib.Path(PLAIT).parent.parent / "libexec/plait/plait-probe-openmpi"
    done = run(*os.environ["MPIEXEC"].split(), "-n", "2", str(probe), str(plan), "-",
               OMPI_MCA_btl_vader_eager_limit="16384")
    expect(done.returncode == 0 and "variable btl_vader_eager_limit 16384\n" in done.stdout,
           f"{done}")


def check_tuned(command):
    """plait run --tuned: a plan from a file, settings of a platform, and refusals."""
    launcher = command[0]
    program = ["--", launcher, "-n", RANKS, os.environ["MESSAGES"]]
    done = run(PLAIT, "run", "--tuned=plait-plan.json", "-o", "by-plan", *program)
    expect(done.returncode == 0 and "took 480" in done.stdout
           and "tuned: OMPI_MCA_btl_vader_eager_limit=16384" in done.stderr, f"{done}")
    none = run(PLAIT, "run", "--tuned", *program)
    expect(none.returncode == 2 and "nothing is stored" in none.stderr, f"{none}")
    tuned = run(PLAIT, "tune", "--platform", "--mpi", launcher, "--ranks-per-node", RANKS, "-o",
                "platform", NO_BCAST="1")
    expect(tuned.returncode == 0 and "messages between two ranks: 1.67 times" in tuned.stdout
           and all(len(line) <= 80 for line in tuned.stdout.splitlines()
                   if not line.startswith(("Stored", "Next"))), f"{tuned}")
    stored = re.search("^Stored: (.*)$", tuned.stdout, re.M).group(1)
    valid = run(sys.executable, os.environ["VALIDATE"],
                str(pathlib.Path(os.environ["SCHEMA"]).with_name("tuned-1.schema.json")),
                f"{stored}/tuned.json")
    expect(valid.returncode in (0, 77), f"tuned.json does not fit its schema: {valid}")
    done = run(PLAIT, "run", "--tuned", "-o", "by-platform", *program)
    expect(done.returncode == 0 and "tuned for Open MPI 4.1.4, 3 ranks on 1 node" in done.stderr
           and "tuned: OMPI_MCA_btl_vader_eager_limit=16384" in done.stderr, f"{done}")
    other = run(PLAIT, "run", "--tuned", "--", launcher, "-n", "2", os.environ["MESSAGES"])
    expect(other.returncode == 2 and "was made for another job (ranks: 3 instead of 2" in
           other.stderr, f"{other}")
    both = run(PLAIT, "tune", "--platform", "profile")
    expect(both.returncode == 2 and "--platform: tunes without a program" in both.stderr, f"{both}")


def check_errors(command):
    """One clear line each."""
    for arguments, text in [
            (["profile", "--budget", "0.001s", "--", *command], "--budget: too small for one pair"),
            (["profile", "--budget", "soon", "--", *command], "soon: not a time"),
            (["nothing", "--", *command], "nothing: not a run directory"),
            (["--resume", "tuned"], "--time-from"),
            ([], "no program"),
            (["profile", "--time-from", "none ([0-9]+)", "--", *command], "finds no time"),
            (["profile", "--emit", "json", "--", *command], "--emit"),
            (["profile", "-o", "tuned", "--", *command], "tuned")]:
        done = run(PLAIT, "tune", *(["--time-from", "took ([0-9.]+)"]
                                    if "--time-from" not in arguments else []), *arguments)
        errors = [line for line in done.stderr.splitlines() if line.startswith("plait: error: ")]
        expect(done.returncode == 2 and len(errors) == 1 and text in errors[0], f"{done}")
    missing = run(PLAIT, "tune", "--resume", "nothing")
    expect(missing.returncode == 2 and "nothing" in missing.stderr, f"{missing}")


def main():
    """Runs the checks."""
    command = make_launcher()
    try:
        check_profile()
        check_tuning(command)
        check_resumed(command)
        check_rules()
        check_values()
        check_tuned(command)
        check_errors(command)
    finally:
        shutil.rmtree(SCRATCH)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
