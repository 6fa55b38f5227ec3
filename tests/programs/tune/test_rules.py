#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rules of plait tune are in effect: the kernel's count of what rank 0 sends shows the algorithm.

Environment: PLAIT, MPIEXEC, WRITE_RULES, BROADCASTS (programs), ALGORITHMS: two algorithms of
MPI_Bcast on 4 ranks and how often each lets the root send the data, such as
"binomial,2,scatter_ring_allgather,1.5". Variables let the library use TCP inside the node.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

SCRATCH = pathlib.Path(tempfile.mkdtemp(prefix="plait-rules-"))
ENVIRONMENT = {**os.environ, "XDG_STATE_HOME": str(SCRATCH / "state"),
               "PLAIT_PREFIX": str(pathlib.Path(os.environ["PLAIT"]).parent.parent)}
RANKS = 4
SIZES = 8192, 262144
BORDER = 65536
# Headers of messages count too. What different algorithms send differs by 0.5.
TOLERANCE = 0.2


def sent(*options):
    """How often rank 0 sends the data of each size."""
    command = [os.environ["PLAIT"], "run", "--quiet", "-o", tempfile.mktemp(dir=SCRATCH), *options,
               "--", *os.environ["MPIEXEC"].split(), "-n", str(RANKS), os.environ["BROADCASTS"],
               *map(str, SIZES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT, cwd=SCRATCH,
                          start_new_session=True) as process:
        limit = threading.Timer(60, os.killpg, [process.pid, signal.SIGKILL])
        limit.start()
        found = []
        for line in process.stdout:
            if re.fullmatch(r"\d+: [0-9.]+\n", line):
                found.append(float(line.split()[1]))
            if len(found) == len(SIZES):
                break
        # MPI_Finalize of MPICH 4.0 may hang over TCP, a known hazard.
        process.terminate()
        process.stdout.read()
        process.wait()
        limit.cancel()
    if len(found) != len(SIZES):
        sys.exit(f"failed: {command}")
    return found


def sent_with(ranks, small, large):
    """The same with rules that plait tune writes."""
    subprocess.run([os.environ["WRITE_RULES"], os.environ["MPIEXEC"].split()[0], str(ranks),
                    str(BORDER), small, large, "plan.json"], env=ENVIRONMENT, cwd=SCRATCH,
                   check=True, timeout=60)
    return sent("--tuned=plan.json")


def main():
    """Rules for small and large data, for all data, and for other communicators."""
    first, first_sends, second, second_sends = os.environ["ALGORITHMS"].split(",")
    by_default = sent()
    problems = 0
    for small, large, expected in [
            (first, second, (first_sends, second_sends)),
            (second, first, (second_sends, first_sends)),
            (first, first, (first_sends, first_sends)),
            (second, second, (second_sends, second_sends))]:
        seen = sent_with(RANKS, small, large)
        if any(abs(one - float(other)) > TOLERANCE for one, other in zip(seen, expected)):
            problems += 1
            print(f"NOT: rank 0 sends {expected} times the data with {small} and {large}, but "
                  f"{seen}", file=sys.stderr)
    for algorithm in first, second:
        seen = sent_with(RANKS - 1, algorithm, algorithm)
        if any(abs(one - other) > TOLERANCE for one, other in zip(seen, by_default)):
            problems += 1
            print(f"NOT: other communicators keep the library's choice: {seen}, not {by_default}",
                  file=sys.stderr)
    shutil.rmtree(SCRATCH)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
