#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait predict cg and hpl at the command line: Viet's tables 3, 4 and 7, 80 columns, errors.

check_predict_volume.py PLAIT DATA_FOLDER
"""

import csv
import json
import pathlib
import subprocess
import sys

from expectations import exit_code, expect

PLAIT, DATA = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, "predict", *arguments], capture_output=True, text=True,
                          check=False)


def cases(*arguments):
    """The cases of its JSON."""
    return json.loads(run(*arguments, "--json").stdout)["cases"]


def rows(name):
    """The rows of a CSV file whose comments begin with #."""
    with open(DATA / "viet" / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def check_tables():
    """Tables 3a and 3b, and 7."""
    sun = {str(case["cores"]): case for case in cases("cg", "--nodes", "2", "--cores", "2,4,8")}
    intel = {str(case["nodes"]): case for case in cases("cg", "--nodes", "2,4,8", "--cores", "2")}
    for row in rows("viet_table_2_3.csv"):
        if row["table"] == "2":
            continue
        case = (sun if row["table"] == "3a" else intel)[row["nprocs_or_nodes"]]
        layout = case["every_node" if row["key"].endswith("hybrid") else "every_core"]
        expect(layout["node"]["value"] == float(row["value"]), f"{row}: {layout}")
        expect(row["channels"] in ("", str(layout["channels"])), f"{row}: {layout}")
    table = rows("viet_table_7.csv")
    found = cases("hpl", "--nodes", ",".join(row["nprocs"] for row in table), "--cores", "1")
    for row, case in zip(table, found, strict=True):
        layout = case["every_node"]
        expect([str(layout["rows"]), str(layout["columns"])] == [row["P"], row["Q"]], f"{row}")
        expect(round(layout["node"]["value"], 2) == float(row["V_m"]), f"{row}: {layout}")


def check_times():
    """Equation 7 for the 114 s of table 4, and what the table prints."""
    table = [row for row in rows("viet_table_4.csv") if row["cluster"] == "sun"]
    compute = ",".join(f"{float(row['T_PC_s']) - 114:g}s" for row in table)
    arguments = ("cg", "--nodes", "2", "--cores", ",".join(row["nppn"] for row in table),
                 "--compute", compute, "--communicate", "114s", "--size", "75000")
    times = [case["times"] for case in cases(*arguments)]
    for row, of, expected in zip(table, times, (57.0, 85.5, 99.75), strict=True):
        gained = of["without_overlap_s"] - of["with_overlap_s"]
        expect(abs(gained - expected) < 1e-9, f"equation 7: {gained} instead of {expected}")
        expect(abs(of["with_overlap_s"] - float(row["T_TC_s"])) < 2, f"{row}: {of}")
    text = run(*arguments).stdout
    expect(all(len(line) <= 80 for line in text.splitlines()), "wider than 80 columns")
    expect("0.5" in text and "693 s" in text and "293 KiB" in text, text)


def check_block():
    """A block row has as many rows as --block: with 64 of them, 64 times the bytes of one."""
    found = [cases("hpl", "--nodes", "2", "--size", "1000", *more)[0]["every_node"]["node_bytes"]
             for more in ((), ("--block", "64"))]
    expect(found == [8 * 1000, 8 * 1000 * 64], f"bytes: {found}")
    expect("500 KiB" in run("hpl", "--nodes", "2", "--size", "1000", "--block", "64").stdout,
           "the table has no bytes of the block")
    expect('unknown option "--block"' in run("cg", "--block", "64").stderr, "cg has a block")


def check_errors():
    """What cannot be is said in one line."""
    for arguments, word in ((("cg", "--nodes", "3"), "power of two"),
                            (("hpl", "--compute", "3s"), "--communicate"),
                            (("cg", "--compute", "1s,2s", "--communicate", "1s"), "2 times for 3")):
        done = run(*arguments)
        expect(done.returncode == 2 and word in done.stderr, f"{arguments}: {done}")


check_tables()
check_times()
check_block()
check_errors()
sys.exit(exit_code())
