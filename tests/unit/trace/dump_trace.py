# SPDX-License-Identifier: BSD-3-Clause
"""Prints the events of a packed run as the Python reader sees them, one per line."""

import sys

import plait_trace

trace = plait_trace.read(sys.argv[1])
for problem in trace.problems:
    print("problem", problem)
for rank in trace.ranks:
    for event in rank.events:
        kind = plait_trace.EVENT_KINDS[event["kind"]]
        if kind == "gap":
            continue
        name = "" if kind in ("region", "parallel", "work") else trace.functions[event["function"]]
        # The number of polls is among the words, which this reader does not give.
        size = 0 if kind in ("complete", "probe") else event["bytes"] + event["idle"]
        print(rank.world_rank, event["begin"], event["end"], size, name)
