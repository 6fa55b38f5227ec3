#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait map at the command line: known mappings, launcher files, a run's messages, and errors.

check_map.py PLAIT DATA_FOLDER SCRATCH_FOLDER
"""

import csv
import json
import os
import pathlib
import subprocess
import sys

from expectations import exit_code, expect

PLAIT, DATA, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
ENVIRONMENT |= {"XDG_DATA_HOME": str(SCRATCH), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
JOB = {"SLURM_JOB_ID": "12", "SLURM_JOB_NODELIST": "n[07-08],big",
       "SLURM_JOB_CPUS_PER_NODE": "4(x2),8", "SLURM_TASKS_PER_NODE": "2(x2),4"}


def run_map(*arguments, job=None):
    """The finished command, in a Slurm job if one is given."""
    return subprocess.run([PLAIT, "map", *arguments], capture_output=True, text=True,
                          env=ENVIRONMENT | (job or {}), cwd=SCRATCH, timeout=60, check=False)


def mapped(*arguments):
    """Its JSON; processes lie where no node has more than its slots."""
    done = run_map(*arguments, "--json")
    expect(done.returncode == 0, f"{arguments}: exit code {done.returncode}: {done.stderr}")
    value = json.loads(done.stdout)
    expect(len(set(value["slot_of_process"])) == value["processes"], f"{arguments}: a slot twice")
    for node, about in enumerate(value["nodes"]):
        expect(value["node_of_process"].count(node) <= about["slots"], f"{arguments}: node {node}")
    ratio = value["predicted"]["times_faster"]
    expect(ratio["low"] <= ratio["value"] <= ratio["high"], f"{arguments}: interval {ratio}")
    return value


def check_grids():
    """Pairs between nodes of grids in block and in cyclic order, and mapped."""
    for dims, nodes, more, before, after in (
            ("4x4x2", "4x8", [], 24, 16), ("4x4x2", "4x8", ["--now", "cyclic"], 40, 16),
            ("4x4x2", "12,8,8,4", [], 26, 16), ("4x8", "4x8", ["--periodic", "all"], 32, 16),
            ("32", "4x8", [], 3, 3), ("6x5", "4x8", [], 18, 13)):
        value = mapped("--grid", dims, "--nodes", nodes, *more)
        found = (value["before"]["pairs_between_nodes"], value["after"]["pairs_between_nodes"])
        expect(found == (before, after), f"{dims} on {nodes} {more}: {found}")
        expect(value["nothing_to_gain"] == (before == after), f"{dims} on {nodes}: {value}")
    value = mapped("--grid", "4x4x2", "--nodes", "4x8", "--weights", "8,1,1", "--bytes", "1kB")
    expect(value["after"]["bytes_between_nodes"] == 24000, f"weights: {value['after']}")
    value = mapped("--grid", "4x4x2", "--machine", "4xsynthetic:pack:2 core:4 pu:1", "--distance",
                   "1:10:100")
    found = (value["before"]["distance"], value["after"]["distance"])
    expect(found == (2512, 1792), f"J: {found}")


def check_full_stencil():
    """Corners count as neighbours with --stencil full; weights are those of faces and corners."""
    grid = ["--grid", "2x2", "--nodes", "2x2", "--bytes", "1kB"]
    faces = mapped(*grid)["before"]
    full = mapped(*grid, "--stencil", "full", "--weights", "8,1")["before"]
    expect((faces["pairs"], faces["pairs_between_nodes"]) == (4, 2), f"faces: {faces}")
    expect((full["pairs"], full["pairs_between_nodes"]) == (6, 4), f"full: {full}")
    # Each way: two faces and two corners.
    expect(full["bytes_between_nodes"] == 2 * 8000 + 2 * 1000, f"weights: {full}")


def check_text():
    """The verdict comes first; no line is wider than 80 columns."""
    for arguments, verdict in (
            (["--grid", "4x4x2", "--nodes", "4x8"],
             "16 instead of 24 of 64 neighbour pairs cross between nodes;"),
            (["--grid", "32", "--nodes", "4x8"], "Nothing to gain: 3 of 31 neighbour pairs cross"),
            (["--figure", "blocks", "--cores", "4,8"],
             "With 8 cores per node, blocks of 2x2x2 subdomains send 24 messages to other")):
        text = run_map(*arguments).stdout
        expect(text.startswith(verdict), f"{arguments}:\n{text}")
        expect(all(len(line) <= 80 for line in text.splitlines()), f"too wide:\n{text}")


def check_graphs():
    """A graph file gives what the same grid gives."""
    (SCRATCH / "ring.csv").write_text("0,9,0,9\n9,0,9,0\n0,9,0,9\n9,0,9,0\n", encoding="utf-8")
    value = mapped("--graph", "ring.csv", "--nodes", "2x2", "--now", "cyclic", "--goal",
                   "cut")
    expect((value["before"]["bytes_between_nodes"], value["after"]["bytes_between_nodes"]) ==
           (36, 18), f"ring: {value}")


def check_figure():
    """34 against 24 for 8 cores, as the thesis counts them."""
    with open(DATA / "stengel/stengel_claims.csv", encoding="utf-8") as file:
        claims = {row["claim"]: row["value"]
                  for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    claim = next(value for name, value in claims.items() if "sticks of 8" in name)
    rows = json.loads(run_map("--figure", "blocks", "--json").stdout)["rows"]
    eight = next(row for row in rows if row["cores"] == 8)
    expect(f"{eight['stick']} versus {eight['of_block']}" == claim, f"figure: {eight}, {claim}")
    ratios = [row["stick"] / row["of_block"] for row in rows]
    expect(ratios == sorted(ratios), f"the benefit does not grow: {ratios}")


def check_launchers():
    """Plans and launcher files name the node of each rank."""
    grid = ["--grid", "4x4x2", "--hosts", "a:8,b:8,c:8,d:8"]
    nodes = ["abcd"[node] for node in mapped(*grid)["node_of_process"]]
    for kind in ("plan", "openmpi4", "openmpi5", "mpich", "intel", "slurm"):
        folder = SCRATCH / kind
        done = run_map(*grid, "--emit", kind, "--folder", str(folder), "--", "./app", "-n", "3")
        expect(done.returncode == 0, f"{kind}: {done.stderr}")
        plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
        expect([place["node"] for place in plan["places"]] == nodes, f"{kind}: {plan['places']}")
        if kind != "plan":
            expect("./app -n 3" in done.stdout, f"{kind}: no command in\n{done.stdout}")
            expect((folder / "hosts").exists(), f"{kind}: no file of hosts")
    expect((SCRATCH / "slurm/job.sh").read_text(encoding="utf-8").startswith("#!/bin/bash"),
           "no batch script")


def check_job():
    """Within a Slurm job its nodes are taken, unless others are named."""
    reported = "Slurm job 12: 3 nodes, 16 CPUs\n"
    done = run_map("--grid", "4x2", "--json", job=JOB)
    nodes = [(node["name"], node["slots"]) for node in json.loads(done.stdout)["nodes"]]
    expect(nodes == [("n07", 2), ("n08", 2), ("big", 4)] and done.stderr == reported,
           f"nodes of the job: {nodes}, said: {done.stderr}")
    done = run_map("--grid", "4x2", "--nodes", "2x4", job=JOB)
    expect("2 nodes of 4 slots" in done.stdout and done.stderr == "", f"--nodes: {done.stderr}")
    done = run_map("--grid", "4x3", job=JOB)
    expect(done.returncode == 2 and done.stderr.startswith(reported) and "8 slots" in done.stderr,
           f"more processes than the job has slots: {done.stderr}")
    done = run_map("--grid", "4x2", job=JOB | {"SLURM_JOB_NODELIST": "n[07-08"})
    expect(done.returncode == 2 and "SLURM_JOB_NODELIST: n[07-08: not a list" in done.stderr,
           f"a damaged job: {done.stderr}")


def check_refusals():
    """Exit code 2 and one line that names what is wrong."""
    two = ["--grid", "4x4", "--nodes", "2x8"]
    for text, *arguments in (
            ("no nodes to map to", "--grid", "4x4"),
            ("write a grid as 4x4x2", "--grid", "4xx2", "--nodes", "4x8"),
            ("32 processes do not fit into 28 slots", "--grid", "4x4x2", "--nodes", "4x7"),
            ("is not one of the grid's 2 axes", *two, "--periodic", "z"),
            ("not a run directory", "nosuch"),
            ("no program to start", *two, "--emit", "mpich"),
            ("the slots have only 2 levels of distance", *two, "--distance", "1:2:3"),
            ("--goal distance needs --distance", *two, "--goal", "distance"),
            ("cannot be read", "--graph", "no.graph", "--nodes", "2x8"),
            ("1 weights for 2 axes", *two, "--weights", "1"),
            ("--latency needs --bandwidth", *two, "--latency", "5us"),
            ("too few cores for a slot of 9", "--grid", "2x1", "--machine", "2xclovertown",
             "--cores-per-rank", "9"),
            ("--cores-per-rank needs --machine", *two, "--cores-per-rank", "2"),
            ("--ranks-per-slot needs --machine", *two, "--ranks-per-slot", "2"),
            ("32 processes do not fit into 16 slots", "--grid", "8x4", "--machine",
             "2xclovertown"),
            ("not a number from 1", "--grid", "4x4", "--nodes", "0x8"),
            ("is empty or not unique", *two, "--hosts", "a,a"),
            ("names 1 nodes, but there are 2", *two, "--hosts", "a"),
            ("cannot be used together", *two, "--machine", "clovertown"),
            ("cannot be used together", *two, "--graph", "x.csv"),
            ("need --grid", "--graph", "x.csv", "--periodic", "x", "--nodes", "2x8")):
        done = run_map(*arguments)
        expect(done.returncode == 2 and text in done.stderr and done.stderr.count("\n") == 1,
               f"{arguments}: exit code {done.returncode}, expected {text!r}:\n{done.stderr}")


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    check_grids()
    check_full_stencil()
    check_text()
    check_graphs()
    check_figure()
    check_launchers()
    check_job()
    check_refusals()
    return exit_code()


if __name__ == "__main__":
    sys.exit(main())
