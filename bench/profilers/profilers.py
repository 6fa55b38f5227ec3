# SPDX-License-Identifier: BSD-3-Clause
"""What samples cost and find, beside perf and py-spy, in one session.

Usage: profilers.py [options] [cost] [shares] [-- PROGRAM...]

cost: how much more CPU time a program of fixed work takes with each tool, and how much longer it
takes if program and tool share a core. The CPU time of a tool's own process counts for the latter
only, which needs an idle machine. shares: the functions of LAMMPS, HPC Challenge and a NumPy
program, or of PROGRAM. Tools that are not found are skipped with a note.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import shares
from tools import Failed, Perf, Plait, PySpy, run

AT_HZ = 100  # the rate for which costs are given
FEWEST = 6  # runs whose order statistics give a 95 % interval


class Nothing:
    """Without a tool."""
    name = "nothing"

    def record(self, launch, program, folder, _):
        return run([*launch, *program], folder)


class PerfOfRank(Perf):
    """perf record on the core of the rank, which the launcher starts."""

    def record(self, launch, program, folder, rate):
        return run([*launch, *self.command(folder, rate), *program], folder)


def order_statistics(values):
    """The 95 % interval of the median; of fewer than FEWEST values, their range."""
    values = sorted(values)
    below, probability = 0, 0.5 ** len(values)
    term = probability
    while len(values) >= FEWEST:
        term *= (len(values) - below) / (below + 1)
        probability += term
        if 2 * probability >= 0.05:
            break
        below += 1
    return values[below], values[-1 - below]


def measure(title, tools, program, options):
    """The cost of each tool for a program, in percent, relative to the run without in its round."""
    launch = [*options.mpiexec, *options.bind, "-n", "1"]
    seconds = {tool: [] for tool in tools}
    cpu = {tool: [] for tool in tools}
    rates = {tool: [] for tool in tools}
    for turn in range(options.rounds):
        order = list(tools)
        for tool in order[turn % len(order):] + order[:turn % len(order)]:
            out = tool.record(launch, program, options.folder, tools[tool])
            took = re.search(r"\bseconds ([\d.]+) cpu ([\d.]+) result", out)
            seconds[tool].append(float(took[1]))
            cpu[tool].append(float(took[2]))
            if not isinstance(tool, Nothing):
                rates[tool].append(tool.samples() / cpu[tool][-1])
    nothing = next(tool for tool in tools if isinstance(tool, Nothing))
    print(f"\n{title}: {statistics.median(cpu[nothing]):.2f} s of CPU time and "
          f"{statistics.median(seconds[nothing]):.2f} s without a tool, {options.rounds} rounds")
    interval = "95 %" if options.rounds >= FEWEST else "range"
    print(f"  {'at 100 samples/s':<20}{'measured at':>12}{'CPU time':>10}  {interval:<18}"
          f"{'elapsed':>9}  {interval}")
    results = []
    for tool in tools:
        if isinstance(tool, Nothing):
            continue
        rate = statistics.median(rates[tool])
        figures = []
        for times in (cpu, seconds):
            more = [100 * (took / base - 1) * AT_HZ / rate
                    for took, base in zip(times[tool], times[nothing])]
            figures.append((statistics.median(more), *order_statistics(more)))
        label = tool.name
        if isinstance(tool, Perf) and tool.call_graph != "fp":
            label += f" {tool.call_graph}"
        (of_cpu, low, high), (elapsed, least, most) = figures
        print(f"  {label:<20}{rate:>10.0f}/s{of_cpu:>9.2f}%  {f'{low:.2f} to {high:.2f}':<18}"
              f"{elapsed:>8.2f}%  {least:.2f} to {most:.2f}")
        results.append((re.sub(r"\W+", "_", label), of_cpu, elapsed))
    return results


def available(makers):
    """The tools that work here, with their rates."""
    tools = {}
    for make, rate in makers:
        try:
            tools[make()] = rate
        except Failed as error:
            print(f"note: {error}")
    return tools


def cost(options):
    if options.direct:
        subprocess.run([options.direct], check=True)
    results = []
    # Where perf's clock is not permitted, Plait's timers expire at ticks of the kernel; the others
    # may sample faster, which shows more.
    native = available([(Nothing, 0), (lambda: Plait(options.plait, options.mpi), 250),
                        (lambda: PerfOfRank(options.folder), 1000),
                        (lambda: PerfOfRank(options.folder, "dwarf"), 1000)])
    results += measure("Compiled program", native, [options.compute], options)
    if options.arrays:
        mixed = available([(Nothing, 0), (lambda: Plait(options.plait, options.mpi), 250),
                           (lambda: PySpy(options.py_spy, options.folder, native=False), 100),
                           (lambda: PySpy(options.py_spy, options.folder, native=True), 100)])
        results += [(f"python_{name}", *values) for name, *values in
                    measure("NumPy program", mixed, [options.python, options.arrays], options)]
    for name, of_cpu, elapsed in results:
        print(f"RESULT {name}_cpu_percent {of_cpu:.4f} %")
        print(f"RESULT {name}_elapsed_percent {elapsed:.4f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plait", required=True)
    parser.add_argument("--mpiexec", type=str.split, required=True, help="of Open MPI")
    parser.add_argument("--mpi", default="openmpi", help="that the programs use")
    parser.add_argument("--bind", type=str.split, default=["--bind-to", "core"])
    parser.add_argument("--compute", required=True, help="the compiled program")
    parser.add_argument("--direct", help="the benchmark of single samples")
    parser.add_argument("--python", default="python3", help="with NumPy and mpi4py")
    parser.add_argument("--arrays", help="the Python program")
    parser.add_argument("--py-spy", default="py-spy")
    parser.add_argument("--rounds", type=int, default=0, help="default: 9 for cost, 3 for shares")
    parser.add_argument("--rate", type=int, default=200, help="of shares, Hz")
    parser.add_argument("--ranks", type=int, default=2, help="of shares")
    parser.add_argument("parts", nargs="*", metavar="PART", help="cost, shares (default: both)")
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:cut])
    options.program = arguments[cut + 1:]
    if options.program:
        options.program[0] = os.path.abspath(shutil.which(options.program[0]) or options.program[0])
    parts = options.parts or (["shares"] if options.program else ["cost", "shares"])
    if not set(parts) <= {"cost", "shares"}:
        parser.error("the parts are cost and shares")
    rounds = options.rounds
    with tempfile.TemporaryDirectory(prefix="plait-bench-") as options.folder:
        for part in parts:
            if part == "cost":
                options.rounds = rounds or 9
                cost(options)
            else:
                options.rounds = rounds or 3
                shares.measure(options)


main()
