#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait predict cg and hpl for a machine: three models, the paper's studies, 80 columns, errors.

check_predict_hybrid.py PLAIT
"""

import json
import subprocess
import sys

from expectations import exit_code, expect

PLAIT = sys.argv[1]
HPL = ("hpl", "--machine", "townsend", "--speed", "5,10", "--inside-bandwidth", "900MB/s")


def run(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, "predict", *arguments], capture_output=True, text=True,
                          check=False)


def result_of(*arguments):
    """Its JSON."""
    done = run(*arguments, "--json")
    expect(done.returncode == 0, f"{arguments}: {done}")
    return json.loads(done.stdout)


def check_cg():
    """Closed forms: equations 1, 2 and 7 without latency, on cores that add up."""
    found = result_of("cg", "--speed", "1,2", "--machine", "townsend", "--latency", "1ns",
                      "--bandwidth", "8MB/s", "--pair-bandwidth", "4MB/s", "--nodes", "2",
                      "--inside-bandwidth", "80MB/s")
    case = found["cases"][0]
    compute = 2 * 75000 * 182 / 2 / 2e9 * 75 * 26
    expect(abs(case["pc"]["compute_s"] / compute - 1) < 1e-6, f"T_p: {case}")
    # Table 3: half of the vector, at the bandwidth of one channel.
    between = 0.5 * 8 * 75000 / 4e6 * 75 * 26
    expect(abs(case["pc"]["between_nodes_s"] / between - 1) < 1e-3, f"T_m: {case}")
    sum_pc = sum(case["pc"][part] for part in ("compute_s", "outside_s", "between_nodes_s"))
    expect(abs(sum_pc / case["pc"]["time_s"] - 1) < 1e-9, "equation 2")
    sum_mpi = sum(case["mpi"][part] for part in
                  ("compute_s", "outside_s", "between_nodes_s", "inside_node_s"))
    expect(abs(sum_mpi / case["mpi"]["time_s"] - 1) < 1e-9, "equation 1")
    gain = case["pc"]["time_s"] - case["tc"]["time_s"]
    expect(abs(gain / (case["tc"]["overlap_s"] / 2) - 1) < 0.01, f"equation 7: {case}")
    expect(case["bandwidths"] == {"several_channels": 8e6, "one_channel": 4e6,
                                  "inside_node": 80e6}, f"bandwidths: {case}")


def check_studies():
    """Figures 4, 8 and 9 and table 4: their points, the paper's numbers, and the layout."""
    figure = result_of("cg", "--machine", "townsend", "--figure", "4")
    points = [(case["nodes"], case["cores"]) for case in figure["cases"]]
    expect(points == [(2, 2), (2, 2), (4, 2), (8, 2)], f"points: {points}")
    expect(any("more than the 2 cores" in note for note in figure["notes"]), "left out points")
    expect(figure["cases"][-1]["paper"]["mpi_over_tc"] == 1.31, "figure 4 of the paper")
    nodes = result_of(*HPL, "--figure", "8", "--speed", ",".join(["9"] * 8))["cases"]
    expect(sorted({case["nodes"] for case in nodes}) == list(range(2, 9)), "nodes of figure 8")
    sizes = [case["size"] for case in nodes if case["part"].startswith("Intel cluster, 8")]
    expect(sizes == sorted(sizes) and len(sizes) == 4 and sizes[-1] > 3 * sizes[0], f"{sizes}")
    for arguments in (("cg", "--machine", "townsend", "--figure", "4"),
                      ("cg", "--machine", "townsend", "--table", "4"), (*HPL, "--figure", "8"),
                      (*HPL, "--figure", "9"), ("cg", "--machine", "townsend", "--nodes", "16"),
                      (*HPL, "--nodes", "2,5", "--size", "40000", "--block", "128")):
        text = run(*arguments).stdout
        wide = [line for line in text.splitlines() if len(line) > 80]
        expect(text and not wide, f"{arguments}: wider than 80 columns: {wide}")
    table = run("cg", "--machine", "townsend", "--table", "4").stdout
    expect("+17.6 s" in table and "+57.0 s" in table, table)


def check_advice():
    """Bad numbers of nodes, and the grid that sends least."""
    notes = " ".join(result_of(*HPL, "--nodes", "4,5,7", "--cores", "1", "--size", "8000")["notes"])
    for texts in ("5 nodes form no good grid", "4 times the block row", "1 of 4 nodes",
                  "1.33 of 6", "7 nodes form no good grid", "P x Q = 1x7"):
        expect(texts in notes, f"{texts}: {notes}")
    expect("4 nodes form no good grid" not in notes, notes)


def check_errors():
    """What cannot be is said in one line."""
    for arguments, texts in ((("hpl", "--machine", "townsend"), "--speed"),
                             (("cg", "--machine", "townsend", "--class", "Q"), "S, W, A, B"),
                             (("cg", "--machine", "townsend", "--figure", "8"), "figure 4"),
                             ((*HPL, "--grid", "2by4"), "2x4"),
                             ((*HPL, "--cluster", "nowhere"), "no such cluster is up"),
                             ((*HPL, "--nodes", "4", "--grid", "3x3"), "4 or 8 processes"),
                             (("cg", "--machine", "townsend", "--nodes", "3"), "power of two")):
        done = run(*arguments)
        expect(done.returncode == 2 and texts in done.stderr and
               len(done.stderr.strip().splitlines()) == 1, f"{arguments}: {done}")


check_cg()
check_studies()
check_advice()
check_errors()
sys.exit(exit_code())
