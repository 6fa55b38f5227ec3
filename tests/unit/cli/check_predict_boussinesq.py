#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait predict boussinesq: parts, intervals, slabs and pencils, memory, 80 columns, errors.

check_predict_boussinesq.py PLAIT
"""

import json
import subprocess
import sys

from expectations import exit_code, expect

PLAIT = sys.argv[1]
MACHINE = ("--machine", "townsend", "--speed", "10,20", "--latency", "10us", "--bandwidth",
           "1GB/s", "--inside-bandwidth", "4GB/s")


def run(*arguments):
    """The finished command."""
    return subprocess.run([PLAIT, "predict", "boussinesq", *arguments], capture_output=True,
                          text=True, check=False)


def check_json():
    """Parts add up, and ranks beyond the slabs have pencils."""
    done = run(*MACHINE, "--case", "paper1", "--runs", "128x2,256,512", "--json")
    expect(done.returncode == 0, f"{done}")
    found = json.loads(done.stdout)
    expect(found["points"] == [256, 512, 256], f"points: {found}")
    first, second, third = found["cases"]
    expect((first["nodes"], second["nodes"]) == (128, 128), f"two cores per node: {found}")
    for case in found["cases"]:
        parts = sum(case[part] for part in
                    ("transforms_s", "columns_s", "inside_node_s", "between_nodes_s"))
        expect(abs(parts / case["time_s"] - 1) < 1e-9, f"parts: {case}")
        expect(case["low_s"] < case["overlapped_s"] <= case["time_s"] < case["high_s"],
               f"interval: {case}")
    expect(first["pencils"] == [0, 0] and third["pencils"] == [2, 256], f"pencils: {found}")
    expect(first["between_nodes_s"] < second["between_nodes_s"],
           f"half of the ranks have fewer and longer messages: {found}")


def check_text():
    """80 columns, and cases that do not fit."""
    done = run(*MACHINE, "--case", "paper2", "--runs", "64x2,256x1,100003", "--per-node", "1")
    expect(done.returncode == 0, f"{done}")
    for line in done.stdout.splitlines():
        expect(len(line) <= 80, f"{len(line)} columns: {line}")
    for text in ("1024x512x256 points", "64x2", "memory", "ranks do not fit"):
        expect(text in done.stdout, f"{text}\n{done.stdout}")


def check_errors():
    """One line each, which names the option."""
    for arguments, text in (
            (("--size", "7x8x9"), "--size 7x8x9: not a grid of plait-boussinesq"),
            (("--case", "paper3"), "--case paper3: unknown case"),
            (("--memory-bandwidth", "fast"), "fast"),
            (("--size", "64x64x65537"), "--size 64x64x65537: not a grid"),
            (("--runs", "1000x1000000"), "--runs 1000x1000000: too many threads"),
            (("--speed", "0"), "--speed 0: not a speed"),
            (("--runs", "2y2"), "--runs 2y2: neither ranks nor ranks x threads"),
            (("--size", "64x64x65", "--case", "paper1"), "--case")):
        done = run(*MACHINE, *arguments)
        expect(done.returncode != 0 and text in done.stderr, f"{arguments}: {done}")


check_json()
check_text()
check_errors()
sys.exit(exit_code())
