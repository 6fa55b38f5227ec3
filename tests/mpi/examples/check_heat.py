#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the heat equation in every language given, under all schedules, on 1 to 4 ranks with 1 and 2
threads. All runs must print the same numbers, to the last bit.

Usage: check_heat.py PROGRAM... -- LAUNCHER... (`-n RANKS PROGRAM` is appended to LAUNCHER)
"""
import os
import re
import subprocess
import sys

SCHEDULES = ["blocking", "nonblocking", "polled", "comm_thread", "tasks", "grains", "automatic",
             "comm_thread,communicator=extra_thread,wait=sleep"]
LINE = re.compile(r"^heat (\S+) after (\d+) steps, largest change (\S+)$", re.MULTILINE)


def run(launcher, program, ranks, threads, schedule):
    environment = dict(os.environ, PLAIT_SCHEDULE=schedule, OMP_NUM_THREADS=str(threads),
                       OMP_WAIT_POLICY="passive")
    done = subprocess.run([*launcher, "-n", str(ranks), program], env=environment, text=True,
                          capture_output=True, timeout=150, check=False)
    label = f"{os.path.basename(program)} on {ranks} x {threads}, {schedule}"
    found = LINE.findall(done.stdout)
    if done.returncode != 0 or len(found) != 1:
        sys.exit(f"{label}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    heat, steps, change = found[0]
    return label, (float(heat), int(steps), float(change))


def main():
    split = sys.argv.index("--")
    programs, launcher = sys.argv[1:split], sys.argv[split + 1:]
    cases = []
    layouts = [(ranks, threads) for ranks in (1, 2, 3, 4) for threads in (1, 2)]
    for number, (ranks, threads) in enumerate(layouts):
        # Each layout runs two schedules, each schedule at least two layouts; languages alternate.
        for turn in (number, number + 4):
            program = programs[(number + turn // 4) % len(programs)]
            cases.append((program, ranks, threads, SCHEDULES[turn % len(SCHEDULES)]))
    cases += [(program, 2, 1, "blocking") for program in programs]
    expected_label, expected = run(launcher, *cases[0])
    heat, _, change = expected
    # A box that starts cold and has one side at 1 holds some heat and still warms up.
    if not (0.01 < heat < 0.46 and 1e-6 < change < 1e-1):
        sys.exit(f"{expected_label}: heat {heat}, change {change} are impossible")
    for case in cases[1:]:
        label, numbers = run(launcher, *case)
        if numbers != expected:
            sys.exit(f"{label}: {numbers}, but {expected_label}: {expected}")
    print(f"{len(cases)} runs agree: heat {heat!r}, largest change {change!r}")


main()
