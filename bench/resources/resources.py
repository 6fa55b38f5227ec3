# SPDX-License-Identifier: BSD-3-Clause
"""What --io, --memory and --counters add to a call: resources.py PLAIT PROGRAM [ROUNDS].

The order of modes rotates between rounds, so that a change of the machine's speed affects all. The
figure of a run is the smallest of its blocks, because noise only adds.
"""
import os
import statistics
import subprocess
import sys
import tempfile

MODES = {
    "profile": [],
    "io": ["--io"],
    "memory": ["--memory"],
    "counters": ["--counters", "page-faults,task-clock"],
}
# The option whose cost a call shows, and how many calls of it the figure has.
CALLS = {
    "malloc_free": ("memory", 2),
    "pwrite": ("io", 1),
    "open_close": ("io", 2),
    "send": ("counters", 1),
    "region": ("counters", 1),
}


def run(plait, program, options, folder):
    """The figures of one run, ns by name."""
    out = subprocess.run([plait, "run", "-q", *options, "-o", folder, "--", program],
                         capture_output=True, check=True, text=True).stdout
    return {name: float(ns) for name, ns in (line.split() for line in out.splitlines())}


def main():
    plait, program = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    names = list(MODES)
    figures = {mode: [] for mode in names}
    with tempfile.TemporaryDirectory(prefix="plait-bench-") as folder:
        for turn in range(rounds):
            for place in range(len(names)):
                mode = names[(place + turn) % len(names)]
                target = os.path.join(folder, f"{mode}-{turn}")
                figures[mode].append(run(plait, program, MODES[mode], target))
    print(f"Cost of a call, ns; {rounds} rounds, medians of the smallest of 41 blocks")
    print(f"{'call':<14}{'profile':>10}{'adds':>10}  option")
    results = []
    for call, (mode, calls) in CALLS.items():
        plain = statistics.median(figure[call] for figure in figures["profile"])
        added = statistics.median(with_it[call] - without[call] for with_it, without
                                  in zip(figures[mode], figures["profile"]))
        print(f"{call:<14}{plain:>10.1f}{added:>10.1f}  --{mode}")
        results.append((f"{mode}_{call}_ns", added / calls))
    for name, value in results:
        print(f"RESULT {name} {value:.1f} ns")


main()
