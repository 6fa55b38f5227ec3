# SPDX-License-Identifier: BSD-3-Clause
"""A run's trace: the events of all ranks on the clock of the lowest rank's host."""

import os
from dataclasses import dataclass, field

import numpy as np

from ._packed import FormatError, PackedFile, columns_of

EVENT = np.dtype([("begin", "i8"), ("end", "i8"), ("bytes", "u8"), ("idle", "u8"),
                  ("thread", "u4"), ("kind", "u4"), ("function", "u4"), ("site", "u4"),
                  ("comm", "u4"), ("peer", "i4"), ("tag", "i4")])
_MONOTONIC = 2  # enum plait_clock_kind


@dataclass
class Rank:
    """One rank. `events` is a structured array, sorted by thread and then by end:

    begin, end   ns since the start of the trace
    bytes        sent, received or requested; 0 for calls without data
    idle         ns that a thread was idle in an OpenMP region (`work`), or the sum over all
                 threads of the region (`parallel`); else 0
    thread       number of the thread; thread 0 called MPI_Init
    kind         index into EVENT_KINDS; "gap": the thread recorded no events for this time
    function     index into Trace.functions
    site, comm   indices into `sites` and `comms`; for OpenMP regions and their parts, site is an
                 index into `parallel`, for user regions into `regions`
    peer, tag    the arguments of the call; peer is a rank of the communicator, -1 for none, -2 for
                 any, -3 for MPI_PROC_NULL
    """

    world_rank: int
    host: str
    events: np.ndarray
    sites: list = field(default_factory=list)     #: call paths: lists of (file, address in it)
    comms: list = field(default_factory=list)     #: dicts: name, members, remote_members, ...
    regions: list = field(default_factory=list)   #: (name, index of the enclosing region or -1)
    parallel: list = field(default_factory=list)  #: OpenMP regions: (file, address in it)


@dataclass
class Trace:
    """The ranks sorted by world rank, the names of functions, and what could not be read."""

    ranks: list
    functions: list
    problems: list


def _members(runs):
    return np.concatenate([first + stride * np.arange(count) for first, count, stride in runs]
                          or [np.zeros(0, np.int64)]).astype(np.int64)


def _longest(clocks):
    return max(clocks, key=lambda at: at["last"][0] - at["first"][0])


def _ns_of_host(clocks, origin):
    """A time in ticks, the same time on the host's monotonic clock in ns since `origin`, and ns per
    tick, from the process with the longest time between its samples."""
    clock = _longest(clocks)
    if clock["kind"] == _MONOTONIC:
        return origin, 0.0, 1.0
    return clock["first"][0], float(clock["first"][2] - origin), 1e9 / clock["ticks_per_s"]


def _offset(clocks, name):
    measured = [at[name] for at in clocks if at[name]]
    return min(measured, key=lambda at: at[2]) if measured else None


def _align(files):
    """For each host (ticks, ns at these ticks, ns per tick), on the first file's host's clock."""
    by_host = {}
    for file in files:
        by_host.setdefault(file.definitions["host"], []).append(file.definitions["clock"])
    problems, maps, reference = [], {}, files[0].definitions["host"]
    origin = _longest(by_host[reference])["first"][2]
    for host, clocks in by_host.items():
        ticks, ns, rate = _ns_of_host(clocks, origin)
        first = _offset(clocks, "at_init") or _offset(clocks, "at_finalize")
        last = _offset(clocks, "at_finalize") or first
        if host != reference and first is None:
            problems.append(f"the clock of {host} was not compared with that of {reference}")
        elif host != reference:
            begin, end = (ns + (at[0] - ticks) * rate for at in (first, last))
            drift = (last[1] - first[1]) * 1e9 / (end - begin) if end > begin else 0.0
            ns += first[1] * 1e9 + (ns - begin) * drift
            rate *= 1 + drift
        maps[host] = ticks, ns, rate
    return maps, problems


def _ns(ticks, clock):
    at, ns, rate = clock
    return (ns + (ticks - at) * rate).astype(np.int64)


def _events_of(file, function_of, clock):
    parts = [columns_of(chunk, file.shapes) for chunk in file.chunks]
    events = np.zeros(sum(len(part["begin"]) for part in parts), EVENT)
    for name in EVENT.names:
        if parts:
            events[name] = np.concatenate([part[name].view("i8") if name in ("begin", "end")
                                           else part[name] for part in parts])
    for name in ("begin", "end"):
        events[name] = _ns(events[name], clock)
    events["idle"] = (events["idle"] * clock[2]).astype(np.uint64)
    if len(function_of):
        events["function"] = function_of[np.minimum(events["function"], len(function_of) - 1)]
    return events


def read(run):
    """Reads the trace of a run: a folder made by plait run --trace, or one with *.ptrace files.

    Raises FormatError if there is no trace or its version is unknown."""
    folder = os.path.join(run, "trace") if os.path.isdir(os.path.join(run, "trace")) else run
    names = sorted(name for name in os.listdir(folder) if name.endswith(".ptrace"))
    if not names:
        raise FormatError(f"{run} has no packed trace; record one with plait run --trace")
    files = {}
    for name in names:
        file = PackedFile(os.path.join(folder, name))
        files.setdefault(file.definitions["world_rank"], file)
    files = [files[rank] for rank in sorted(files) if rank >= 0]
    clocks, problems = _align(files)
    functions, ranks = {}, []
    for file in files:
        of = file.definitions
        problems += file.problems
        function_of = np.array([functions.setdefault(name, len(functions))
                                for name, _ in of["functions"]], np.uint32)
        place = [(of["modules"][module], offset) for module, offset, _ in of["parallel"]]
        ranks.append(Rank(
            of["world_rank"], of["host"], _events_of(file, function_of, clocks[of["host"]]),
            [[(of["modules"][module], offset) for module, offset, _ in site]
             for site in of["sites"]],
            [{**comm, "members": _members(comm["members"]),
              "remote_members": _members(comm["remote_members"])} for comm in of["comms"]],
            [tuple(region) for region in of["regions"]], place))
    begins = [rank.events["begin"].min() for rank in ranks if len(rank.events)]
    # Without overwritten events, the end of MPI_Init may be earlier than the first event.
    begins += [_ns(np.array(of["init_end_ticks"]), clocks[of["host"]])
               for of in (file.definitions for file in files) if not of["overwritten_events"]]
    for rank in ranks:
        for name in ("begin", "end"):
            rank.events[name] -= min(begins)
    return Trace(ranks, list(functions), problems)
