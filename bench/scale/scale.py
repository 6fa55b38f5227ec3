#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times reports of many ranks and analyses of many events, on generated runs.

Prints RESULT lines: report_N_s and report_N_gib of a profile of N ranks, page_N_mb, analysis_E_s
and analysis_E_gib of a trace of E events, otf2_read_1e7_s of OTF2's own reader, which only reads
the same events on one core, analysis_speedup_2 of an analysis of 10^7 events by two
processes of a node over that by one, each with a core of its own, analysis_nodes_speedup_2 of two
processes that share no memory, as on two nodes, and analysis_nodes_memory_2 of the larger one's
memory over that of one process, trace_page_N_mb of a trace of 10^6 events on N ranks,
record_kib_per_rank of a real run. page_N_open_s and trace_page_N_open_s are the times that Chromium
takes to open these pages; they need Node.js and Chromium. A part that takes longer than the limit,
or more disk than there is, has no result.
"""
import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

TARGETS = {"report_10000_s": 10, "report_100000_s": 60, "report_100000_gib": 4, "page_10000_mb": 5,
           "page_10000_open_s": 2, "trace_page_10000_open_s": 2, "trace_page_8_mb": 5,
           "trace_page_1000_mb": 5, "trace_page_10000_mb": 5,
           "analysis_speedup_2": 1.6, "analysis_nodes_memory_2": 0.6,
           "analysis_1e8_s": 120, "analysis_1e8_gib": 2, "record_kib_per_rank": 256}
UNITS = {"s": "s", "gib": "GiB", "mb": "MB", "rank": "KiB", "2": "ratio"}
AT_LEAST = {"analysis_speedup_2"}  # of the targets; the others are upper limits
MEMORY_LIMIT = "2GiB"  # of analyses; the rest goes to a temporary file
BYTES_OF_EVENT = 250  # memory and disk that an analysis takes, the trace included
TRACED_RANKS = 1000
SHARED_EVENTS = 10**7
ROUNDS = 3
EVENTS_OF_PAGE = 10**6


def result(name, value):
    """Prints a result and its target."""
    bound = "at least" if name in AT_LEAST else "at most"
    target = f" ({bound} {TARGETS[name]})" if name in TARGETS else ""
    print(f"RESULT {name} {value:.2f} {UNITS[name.rsplit('_', 1)[1]]}{target}", flush=True)


def measured(command, limit_s):
    """Returns (s, GiB) of a command; None if it fails or takes longer than the limit."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - begin
        if pid != 0:
            break
        if seconds > limit_s:
            process.send_signal(signal.SIGKILL)
            os.wait4(process.pid, 0)
            process.returncode = -signal.SIGKILL
            print(f"{' '.join(map(str, command))}: stopped after {seconds:.0f} s", flush=True)
            return None
        time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        print(f"{' '.join(map(str, command))}: exit code {process.returncode}", flush=True)
        return None
    return seconds, usage.ru_maxrss / 2**20


class Bench:
    """Runs the parts in a folder, each within what is left of the limit."""

    def __init__(self, args, folder):
        self.args = args
        self.run = folder / "run"
        self.end = time.monotonic() + args.limit

    def left_s(self):
        """Returns the seconds that are left."""
        return max(1, self.end - time.monotonic())

    def generate(self, *arguments):
        """Makes a run. Returns True unless it takes too long."""
        shutil.rmtree(self.run, ignore_errors=True)
        command = [self.args.generate, self.run, *map(str, arguments)]
        return measured(command, self.left_s()) is not None

    def reports(self, ranks):
        """A profile and its page."""
        if not self.generate(ranks):
            return
        took = measured([self.args.plait, "report", self.run], self.left_s())
        if took is None:
            return
        result(f"report_{ranks}_s", took[0])
        result(f"report_{ranks}_gib", took[1])
        page = self.run / "report.html"
        if page.exists():
            result(f"page_{ranks}_mb", page.stat().st_size / 1e6)
            self.opened(f"page_{ranks}_open_s")

    def opened(self, name):
        """The time to open the page in Chromium."""
        command = ["node", pathlib.Path(__file__).with_name("open.mjs"), self.run / "report.html"]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, timeout=self.left_s(), check=False)
        except FileNotFoundError:
            print(f"{name}: left out, because there is no Node.js")
            return
        except subprocess.TimeoutExpired:
            print(f"{name}: stopped at the time limit")
            return
        if done.returncode != 0:
            print(f"{name}: left out: {done.stderr.strip().splitlines()[-1]}")
            return
        result(name, float(done.stdout))

    def analysis(self, events):
        """The analysis of a trace, without its page."""
        name = f"{events:.0e}".replace("e+0", "e").replace("e+", "e")
        needed = events * BYTES_OF_EVENT
        if needed > shutil.disk_usage(self.run.parent).free:
            print(f"analysis_{name}: left out, because it needs about {needed / 2**30:.0f} GiB of "
                  "disk")
            return
        if not self.generate(TRACED_RANKS, int(events)):
            return
        os.environ["TMPDIR"] = str(self.run.parent)
        took = measured([self.args.plait, "report", "--no-html", "--memory-limit", MEMORY_LIMIT,
                         self.run], self.left_s())
        if took is None:
            return
        result(f"analysis_{name}_s", took[0])
        result(f"analysis_{name}_gib", took[1])
        if self.args.otf2_reader and events <= SHARED_EVENTS:
            self.otf2_read(f"otf2_read_{name}_s")

    def otf2_read(self, name):
        """The time in which OTF2's own reader reads the events of a run."""
        archive = self.run / "otf2"
        export = [self.args.plait, "export", "--to", "otf2", "-o", archive, self.run]
        if measured(export, self.left_s()) is None:
            return
        took = measured([self.args.otf2_reader, archive / "traces.otf2"], self.left_s())
        if took is not None:
            result(name, took[0])

    def speedups(self, launcher):
        """Two processes over one, by turns."""
        if (os.cpu_count() or 1) < 2 or not self.generate(TRACED_RANKS, SHARED_EVENTS):
            return
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        # The processes of a node work as one, with a thread on the core of each.
        self.speedup("analysis_speedup_2", launcher)
        # As on two nodes: each reads its ranks into memory of its own.
        os.environ["PLAIT_LEADERS"] = "all"
        self.speedup("analysis_nodes_speedup_2", launcher, "analysis_nodes_memory_2")
        del os.environ["PLAIT_LEADERS"]

    def speedup(self, name, launcher, memory_name=None):
        """Prints the time of one process over that of two, and the memory of two over that of one.

        The memory of two processes is that of the larger one.
        """
        took_by = {1: [], 2: []}
        for _ in range(ROUNDS):
            for processes, found in took_by.items():
                (self.run / "analysis.json").unlink(missing_ok=True)
                took = measured([launcher, "--bind-to", "core", "-n", str(processes),
                                 self.args.plait, "report", "--no-html", self.run], self.left_s())
                if took is None:
                    return
                found.append(took)
        both = list(zip(took_by[1], took_by[2]))
        result(name, statistics.median(one[0] / two[0] for one, two in both))
        if memory_name:
            result(memory_name, statistics.median(two[1] / one[1] for one, two in both))

    def trace_page(self, ranks):
        """The page of a trace."""
        if not self.generate(ranks, EVENTS_OF_PAGE):
            return
        if measured([self.args.plait, "report", self.run], self.left_s()) is not None:
            result(f"trace_page_{ranks}_mb", (self.run / "report.html").stat().st_size / 1e6)
            self.opened(f"trace_page_{ranks}_open_s")

    def records(self, launcher, program):
        """The size of the records of a real run."""
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        shutil.rmtree(self.run, ignore_errors=True)
        command = [self.args.plait, "run", "--quiet", "--no-report", "--output", self.run, "--",
                   launcher, "--oversubscribe", "-n", "4", program, "--size", "60", "--steps", "50"]
        if measured(command, self.left_s()) is None:
            return
        sizes = [path.stat().st_size for path in (self.run / "records").glob("*.rec")]
        if sizes:
            result("record_kib_per_rank", sum(sizes) / len(sizes) / 1024)


def main():
    """Parses the options and runs all parts."""
    parser = argparse.ArgumentParser(description="Times reports and analyses of generated runs.")
    parser.add_argument("plait", help=argparse.SUPPRESS)
    parser.add_argument("generate", help=argparse.SUPPRESS)
    parser.add_argument("--record", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--otf2-reader", help=argparse.SUPPRESS)
    parser.add_argument("--ranks", default="10000,100000",
                        help="report profiles of so many ranks (default: 10000,100000)")
    parser.add_argument("--events", default="1e7,1e8",
                        help="analyze traces of so many events (default: 1e7,1e8)")
    parser.add_argument("--traced-ranks", default="8,1000,10000",
                        help="write pages of traces of so many ranks (default: 8,1000,10000)")
    parser.add_argument("--folder", default="/var/tmp",
                        help="for the generated runs and temporary files (default: /var/tmp)")
    parser.add_argument("--limit", type=float, default=1200,
                        help="stop after this much time, s (default: 1200)")
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plait-scale-", dir=args.folder))
    try:
        bench = Bench(args, folder)
        if args.record:
            bench.records(*args.record)
            bench.speedups(args.record[0])
        for ranks in filter(None, args.ranks.split(",")):
            bench.reports(int(ranks))
        for ranks in filter(None, args.traced_ranks.split(",")):
            bench.trace_page(int(ranks))
        for events in filter(None, args.events.split(",")):
            bench.analysis(float(events))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
