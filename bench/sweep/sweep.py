#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps five programs over ranks and threads, all points and smart: is the best point found?

Prints RESULT sweep_smart_share, the runs of the smart sweep by those of all points, and
sweep_smart_loss, the time of its best point by that of the best one, both as the other sweep has
measured them. Each is the largest of the programs.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lammps import lammps

GRID = ["--over", "ranks=1,2,4", "--over", "threads=1,2,4"]
TARGETS = {"sweep_smart_share": 0.5, "sweep_smart_loss": 1.05}


def programs(folder, solvers):
    """Names and commands; LAMMPS only if it is installed."""
    all_programs = {
        "Jacobi": [f"{solvers}/plait-jacobi", "--size", "100", "--steps", "400"],
        "CG": [f"{solvers}/plait-cg", "--class", "A", "--schedule", "pc",
               "--threads", "{threads}"],
        "LU": [f"{solvers}/plait-lu", "--size", "3000"],
        "Boussinesq": [f"{solvers}/plait-boussinesq", "--steps", "30"],
    }
    if molecules := lammps(folder, 100):
        all_programs["LAMMPS"] = molecules
    return all_programs


def swept(plait, launcher, program, folder, *options):
    """The JSON of a sweep."""
    command = [plait, "sweep", "--json", "-o", str(folder), "--repeat", "3", *options, *GRID, "--",
               *launcher, "-n", "{ranks}", *program]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          cwd=folder.parent, text=True)
    if not done.stdout:
        sys.exit(f"failed: {' '.join(command)}")
    return json.loads(done.stdout)


def compared(plait, launcher, program, folder):
    """Share of the runs and loss of time of a smart sweep."""
    everything = swept(plait, launcher, program, folder / "all", "--all-points")
    smart = swept(plait, launcher, program, folder / "smart", "--smart")
    runs = [sum(len(point["runs"]) for point in sweep["points"]) for sweep in (everything, smart)]
    times = [point["result"]["value"] if point["result"] else None
             for point in everything["points"]]
    best, found = (sweep["workloads"][-1]["best"] for sweep in (everything, smart))
    names = [everything["points"][at]["name"] for at in (best, found)]
    if times[found] is None:
        sys.exit(f"{names[1]}: it failed in the sweep of all points")
    print(f"{pathlib.Path(program[0]).name}: {runs[1]} of {runs[0]} runs; best {names[0]} "
          f"({times[best]:.3f} s), found {names[1]} ({times[found]:.3f} s)", flush=True)
    return runs[1] / runs[0], times[found] / times[best]


def main():
    """Runs all sweeps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plait")
    parser.add_argument("launcher")
    parser.add_argument("--only", metavar="NAME", help="one program: Jacobi, CG, LU, ...")
    arguments = parser.parse_args()
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                 "OMPI_MCA_mpi_yield_when_idle"):
        os.environ.setdefault(name, "1")
    # Threads of points that share cores would wait for each other for whole time slices.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    launcher = [arguments.launcher, "--oversubscribe", "--bind-to", "none"]
    with tempfile.TemporaryDirectory(prefix="plait-sweep-") as scratch:
        os.environ["XDG_STATE_HOME"] = f"{scratch}/state"
        figures = []
        for name, program in programs(pathlib.Path(scratch),
                                      pathlib.Path(arguments.plait).parent).items():
            if arguments.only not in (None, name):
                continue
            folder = pathlib.Path(scratch) / name
            folder.mkdir()
            figures.append(compared(arguments.plait, launcher, program, folder))
    for name, values in zip(TARGETS, zip(*figures)):
        print(f"RESULT {name} {max(values):.3f} ratio (at most {TARGETS[name]})")


if __name__ == "__main__":
    main()
