#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait place at the command line: the placement of a run's program, written plans, and errors.

check_place.py PLAIT DATA_FOLDER SCRATCH_FOLDER
"""

import copy
import json
import os
import pathlib
import subprocess
import sys

from expectations import exit_code, expect

PLAIT, DATA, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
ENVIRONMENT |= {"XDG_DATA_HOME": str(SCRATCH), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
# On each of the two NUMA domains one core uses the whole bandwidth of the memory.
COPY_GBS = {1: 20, 2: 20, 3: 30, 4: 40}


def place(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, "place", *arguments], capture_output=True, text=True,
                          env=ENVIRONMENT, cwd=SCRATCH, timeout=60, check=False)


def write_machine():
    """The made-up machine with those bandwidths."""
    machine = json.loads((DATA / "machines/measured-example.json").read_text(encoding="utf-8"))
    for result in machine["measured"]["stream"]:
        gbs = COPY_GBS[result["threads"]]
        result["gbs"] |= {"min": gbs, "median": gbs, "ci_low": gbs, "ci_high": gbs,
                          "samples": [gbs] * 3}
    (SCRATCH / "machine.json").write_text(json.dumps(machine), encoding="utf-8")


def write_run(name, cores, compute_s, threads=1):
    """A run of two ranks on one node, each on a core of its own."""
    profile = copy.deepcopy(PROFILE)
    profile["context"]["hosts"] = [{"name": "alpha", "ranks": 2}]
    profile["matrix"]["nodes"] = [0, 0]
    for rank in profile["ranks"]:
        rank |= {"host": "alpha", "compute_s": compute_s, "mpi_s": 0.1, "threads": threads}
    for thread, core in zip(profile["placement"]["threads"], cores, strict=True):
        thread |= {"host": "alpha", "cores": [core]}
    (SCRATCH / name).mkdir(parents=True, exist_ok=True)
    (SCRATCH / name / "profile.json").write_text(json.dumps(profile), encoding="utf-8")


def check_share_of_two_runs():
    """Packed ranks computed for 1.5 s, spread ones, with twice the bandwidth, for 1 s: two thirds
    of the 1.5 s are memory-bound, and spreading is better."""
    done = place("--run", "packed", "--other-run", "spread", "--machine", "machine.json")
    text = " ".join(done.stdout.split())
    expect(done.returncode == 0, done.stderr)
    expect(text.startswith("Spread is faster: 1.10 s, packed 1.60 s, if 67 % of the computation is "
                           "memory-bound."), text)
    expect("memory-bound share: in the two runs ranks with 10.0 GB/s each computed for 1.50 s, "
           "those with 20.0 GB/s for 1.00 s" in text, text)
    expect("rank node cores cpus cache NUMA 0 measured-example 0 0,4 0 0 1 measured-example 2"
           in text, f"placed otherwise: {text}")


def check_given_share():
    """--memory-bound decides; --emit prints nothing but the script or the plan."""
    for share, cores in (("1", ["0", "2"]), ("0", ["0", "1"])):
        done = place("--run", "packed", "--machine", "machine.json", "--memory-bound", share,
                     "--emit", "plan")
        expect([one["cores"] for one in json.loads(done.stdout)["places"]] == cores,
               f"share {share}: {done.stdout}")
        expect("2 ranks x 1 thread" in done.stderr, f"the choice is not explained: {done.stderr}")
    done = place("--run", "spread", "--machine", "machine.json")
    text = " ".join(done.stdout.split())
    expect("in the run all ranks had about the same memory bandwidth, so the memory-bound share "
           "is unknown" in text, text)


def check_written_plan():
    """-o writes the plan and the files of the launchers, and says how to check it."""
    done = place("4 ranks, 2 per package", "--machine", "machine.json", "-l", "openmpi4",
                 "--program", "./app -n 3", "-o", "plan")
    expect(done.returncode == 0, done.stderr)
    plan = json.loads((SCRATCH / "plan/plan.json").read_text(encoding="utf-8"))
    expect([one["cores"] for one in plan["places"]] == ["0", "1", "2", "3"], f"{plan}")
    ranks = (SCRATCH / "plan/openmpi4/rankfile").read_text(encoding="utf-8").splitlines()
    expect(len(ranks) == 4 and ranks[0].startswith("rank 0="), f"{ranks}")
    expect("--rankfile plan/openmpi4/rankfile ./app -n 3" in done.stdout, done.stdout)
    expect("Next: plait where --plan plan/plan.json -- mpiexec -n 4 ./app -n 3\n" in done.stdout,
           done.stdout)


def check_runs_of_a_paper():
    """The runs of Jost and Robins (2010) on nodes of two sockets of four cores: 128 x 1 with idle
    cores and without, 128 x 2, 256 x 1."""
    for request, line in (
            ("128 ranks x 1 thread, 4 per package, 16 nodes",
             "-n 128 -N 8 -d 1 -cc 0:1:2:3:4:5:6:7"),
            ("128 ranks x 1 thread, 2 per package, 32 nodes", "-n 128 -N 4 -d 1 -cc 0:1:4:5"),
            ("128 ranks x 2 threads, 2 per package, 32 nodes",
             "-n 128 -N 4 -d 2 -cc 0,1:2,3:4,5:6,7"),
            ("256 ranks x 1 thread, 4 per package, 32 nodes",
             "-n 256 -N 8 -d 1 -cc 0:1:2:3:4:5:6:7")):
        done = place(request, "--machine", "synthetic:pack:2 [numa] core:4 pu:1", "--emit", "aprun")
        expect(f"\naprun {line} ./app\n" in done.stdout, f"{request}: {done.stdout}{done.stderr}")


def check_refusals():
    """Exit code 2 and what is wrong."""
    for text, *arguments in (
            ("no placement requested", "--machine", "machine.json"),
            ('unknown launcher "foo"', "2 ranks", "--machine", "machine.json", "-l", "foo"),
            ("more: has 2 ranks x 2 threads, packed has 2 ranks x 1",
             "--run", "packed", "--other-run", "more", "--machine", "machine.json"),
            ("not measured", "--run", "packed", "--machine", "clovertown"),
            ("STREAM was not measured", "--run", "packed", "--machine", "townsend"),
            ("--other-run needs --run", "2 ranks", "--other-run", "packed"),
            ("no ranks in its profile", "--run", "empty", "--machine", "machine.json"),
            ("no-run", "--run", "no-run", "--machine", "machine.json")):
        done = place(*arguments)
        expect(done.returncode == 2 and text in done.stderr,
               f"{arguments}: {done.returncode} {done.stderr}")


PROFILE = json.loads((DATA / "fuzz/profile/two_ranks").read_text(encoding="utf-8"))
SCRATCH.mkdir(parents=True, exist_ok=True)
write_machine()
write_run("packed", [0, 1], 1.5)
write_run("spread", [0, 2], 1.0)
write_run("more", [0, 2], 1.0, threads=2)
(SCRATCH / "empty").mkdir(exist_ok=True)
(SCRATCH / "empty/profile.json").write_text(json.dumps(PROFILE | {"ranks": []}), encoding="utf-8")
check_share_of_two_runs()
check_given_share()
check_written_plan()
check_runs_of_a_paper()
check_refusals()
sys.exit(exit_code())
