#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait sweep on scripts that print what they took, and on an MPI program.

Environment: PLAIT, SCHEMA, VALIDATE, MPI (openmpi, mpich), MPIEXEC, EXCHANGE (a program). The
script is started without a launcher, so that a run takes a fraction of a second.
"""

import csv
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

PLAIT = os.environ["PLAIT"]
SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="plait-sweep-"))
ENVIRONMENT = {**os.environ, "XDG_STATE_HOME": str(SCRATCH / "state"),
               "XDG_DATA_HOME": str(SCRATCH / "data"), "OMP_NUM_THREADS": "1"}
METRIC = ["--mpi", os.environ["MPI"], "--metric", "took ([0-9.]+)", "--unit", "s"]
problems = 0


def expect(fact, what):
    """Counts what is not as it should be."""
    global problems  # pylint: disable=global-statement
    if not fact:
        problems += 1
        print(f"NOT: {what}", file=sys.stderr)


def plait(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, *arguments], capture_output=True, text=True, env=ENVIRONMENT,
                          cwd=SCRATCH, check=False, timeout=120)


def sweep(folder, *arguments, script="echo took $((60 / {ranks}))"):
    """plait sweep of a script."""
    return plait("sweep", "-o", folder, *METRIC, *arguments, "--", "sh", "-c", script)


def state(folder):
    """sweep.json."""
    return json.loads((SCRATCH / folder / "sweep.json").read_text(encoding="utf-8"))


def table(folder):
    """sweep.csv without what depends on the time that the runs took."""
    timed = {"wall_s", "core_hours", "node_bytes"}
    with open(SCRATCH / folder / "sweep.csv", encoding="utf-8") as file:
        return [{name: cell for name, cell in row.items() if name not in timed}
                for row in csv.DictReader(file)]


def check_result():
    """Table, JSON, CSV, page and run directories."""
    done = sweep("plain", "--over", "ranks=1,2,4", "--repeat", "2")
    expect(done.returncode == 0 and "ranks=4 is best: 15.0 s" in done.stdout, f"{done}")
    expect("Amdahl: serial fraction 0 %" in done.stdout, f"{done.stdout}")
    expect([row["speedup"] for row in table("plain")] == ["1", "2", "4"], f"{table('plain')}")
    expect((SCRATCH / "plain/runs/2-ranks2/2/run.json").exists(), "no run directory")
    valid = subprocess.run([sys.executable, os.environ["VALIDATE"], os.environ["SCHEMA"],
                            str(SCRATCH / "plain/sweep.json")], check=False)
    expect(valid.returncode in (0, 77), "sweep.json does not fit its schema")
    again = plait("sweep", "--resume", "plain", "--json")
    expect(again.returncode == 0 and json.loads(again.stdout)["points"] == state("plain")["points"],
           f"{again}")


def check_compared():
    """Two sweeps with the same values."""
    sweep("same", "--over", "ranks=1,2,4", "--repeat", "2")
    compared = plait("compare", "plain", "same")
    expect("No difference: the intervals of all 3 points" in compared.stdout, f"{compared}")


def check_resumed():
    """A sweep that is ended at random points and resumed has the table of an undisturbed one."""
    grid = ["--over", "ranks=1,2,4", "--over", "size=10,35", "--repeat", "2"]
    runs = 12
    figure = "echo took $(({size} * 60 / {ranks} + {size}))"
    sweep("undisturbed", *grid, script=figure)
    for seed in range(6):
        chance = random.Random(seed)
        ends = sorted(chance.sample(range(1, runs + 1), chance.randint(1, 3)))
        name = chance.choice(["KILL", "TERM", "INT"])
        folder, count, at = f"ended{seed}", SCRATCH / f"count{seed}", SCRATCH / f"at{seed}"
        at.write_text("".join(f"{end}\n" for end in ends), encoding="utf-8")
        end = f"! grep -qx $(wc -l < {count}) {at} || kill -{name} $PPID"
        parts = [figure, end] if chance.random() < 0.5 else [end, figure]
        done = sweep(folder, *grid, script="; ".join([f"echo x >> {count}", *parts]))
        disturbed = 0
        while done.returncode != 0 and disturbed <= len(ends):
            disturbed += 1
            done = plait("sweep", "--resume", folder)
        expect(done.returncode == 0 and disturbed == len(ends), f"seed {seed}: {done}")
        expect(table(folder) == table("undisturbed"),
               f"seed {seed}: {table(folder)} is not {table('undisturbed')}")


def check_failures():
    """Points that crash, hang and print no number are named; a setting that crashes is avoided."""
    script = "case {mode} in good) echo took 3;; bad) kill -SEGV $$;; slow) sleep 60;; esac"
    over = ["--over", "mode=good,bad,slow,silent", "--set", "MODE={mode}", "--repeat", "1"]
    done = sweep("failed", *over, "--time-limit", "3", script=script)
    expect(done.returncode == 1 and "mode=good is best: 3.00 s" in done.stdout, f"{done}")
    for part in ("failed: mode=bad: crashed with SIGSEGV",
                 "failed: mode=slow: hung, killed after 3 s",
                 "failed: mode=silent: \"took ([0-9.]+)\" finds no number",
                 "output: failed/runs/2-modebad/1"):
        expect(part in " ".join(done.stdout.split()), f"{part} in {done.stdout}")
    expect("In quarantine: MODE=bad" in done.stderr, f"{done.stderr}")
    planned = sweep("unused", *over, "--dry-run", script=script)
    expect("left out:  mode=bad: in quarantine: MODE=bad" in planned.stdout, f"{planned}")
    expect(not (SCRATCH / "unused").exists(), "a plan made a folder")


def check_jobs():
    """Job scripts make the runs, and collect adds those that have ended."""
    done = sweep("jobs", "--over", "ranks=1,2", "--repeat", "1", "--emit", "slurm")
    expect(done.returncode == 0 and "jobs/ranks2-threads1.sbatch" in done.stdout, f"{done}")
    path = f"{pathlib.Path(PLAIT).parent}:{ENVIRONMENT['PATH']}"
    for ranks, left in ((1, "1 point left"), (2, "0 points left")):
        script = SCRATCH / f"jobs/ranks{ranks}-threads1.sbatch"
        subprocess.run(["bash", script], cwd="/", check=True, capture_output=True,
                       env={**ENVIRONMENT, "PATH": path, "SLURM_ARRAY_TASK_ID": "0"})
        done = plait("sweep", "collect", "jobs")
        expect(done.returncode == 0 and f"1 new run; {left}" in done.stderr, f"{done}")
    expect("ranks=2 is best: 30.0 s" in done.stdout, f"{done}")


def check_budget():
    """A budget ends the sweep, which can be resumed; one that is too small is an error."""
    small = sweep("small", "--over", "ranks=1,2", "--budget", "1s", script="sleep 30; {ranks}")
    expect(small.returncode == 2 and "--budget: ended before the first run" in small.stderr,
           f"{small}")


def check_errors():
    """Errors are one line, and nothing is run."""
    for arguments, part in (
            (["sweep", "--over", "n=1", "--", "echo", "{n}", "{m}"], "{m}: placeholder without"),
            (["sweep", "--over", "n=1", "--", "echo"], "--over n: not used"),
            (["sweep", "--", "echo"], "--over is missing"),
            (["sweep", "--over", "n=1", "--metric", "(", "--", "echo", "{n}"], "not a regular"),
            (["sweep", "--over", "n=1", "-o", "/proc/none", "--", "true", "{n}"], "/proc/none"),
            (["sweep", "--resume", "missing"], "missing/sweep.json"),
            (["sweep", "--over", "ranks=4", "--cores", "2", "--", "echo", "{ranks}"],
             "no point is left"),
            (["sweep", "--over", "mpi=mpiexec.none", "--", "{mpi}", "-n", "1", "true"],
             "mpiexec.none: launcher not found")):
        done = plait(*arguments)
        lines = done.stderr.strip().splitlines()
        expect(done.returncode != 0 and part in done.stderr, f"{arguments}: {done}")
        expect(lines[-1].startswith("plait: error: "), f"{arguments}: {lines}")


def check_mpi_program():
    """Ranks of an MPI program, whose efficiencies are in the result."""
    done = plait("sweep", "-o", "mpi", "--over", "ranks=1,2", "--repeat", "1", "--",
                 *os.environ["MPIEXEC"].split(), "-n", "{ranks}", *os.environ["EXCHANGE"].split())
    points = state("mpi")["points"]
    expect(done.returncode == 0 and points[1]["ranks"] == 2, f"{done}")
    expect(points[1]["runs"][0]["efficiencies"]["parallel"] is not None, f"{points[1]}")
    expect((points[1]["runs"][0]["node_bytes"] or 0) > 0, f"{points[1]}")


def check_parts():
    """Other ranks and threads for each part of a job: their cores, speed-up and core hours."""
    launcher = SCRATCH / "mpirun"
    launcher.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.1.4'; echo took $((12 / $2))\n",
                        encoding="utf-8")
    launcher.chmod(0o755)
    done = plait("sweep", "-o", "parts", *METRIC, "--over", "a=1,2,4", "--over", "t=1,3,6",
                 "--cores", "14", "--repeat", "1", "--", str(launcher), "-n", "{a}",
                 "true", ":", "-n", "2", "-x", "OMP_NUM_THREADS={t}", "true")
    expect(done.returncode == 0 and "a=4 t=1 is best: 3.00 s, 4.00 times" in
           " ".join(done.stdout.split()), f"{done}")
    rows = table("parts")
    expect([row["cores"] for row in rows] == ["3", "7", "13", "4", "8", "14", "6", "10", "16"],
           f"{rows}")
    expect(rows[6]["speedup"] == "4" and rows[6]["efficiency"] == "2", f"{rows[6]}")
    expect(rows[8]["problem"] == "needs 16 cores, and --cores is 14", f"{rows[8]}")
    point = state("parts")["points"][4]
    expect(point["parts"] == [{"ranks": 2, "threads": 1}, {"ranks": 2, "threads": 3}], f"{point}")
    hours = point["result"]["core_hours"] * 3600 / point["result"]["wall_s"]
    expect(abs(hours - 8) < 1e-6 and state("parts")["grid"]["core_parameters"] == ["a", "t"],
           f"{point}")
    again = plait("sweep", "--resume", "parts", "--json")
    expect(json.loads(again.stdout)["points"] == state("parts")["points"], f"{again}")


check_result()
check_compared()
check_parts()
check_resumed()
check_failures()
check_jobs()
check_budget()
check_errors()
check_mpi_program()
if not problems:
    shutil.rmtree(SCRATCH, ignore_errors=True)
sys.exit(1 if problems else 0)
