# SPDX-License-Identifier: BSD-3-Clause
"""POP's efficiencies of a traced run of MPI and OpenMP, reckoned again from its events."""
import math

# Those of the multiplicative model may exceed 1; transfer by replay is a model's word.
WITHOUT_LIMIT = {"multiplicative": ("openmp_load_balance", "openmp_communication")}
NOT_SAID = {"multiplicative": ("openmp_serial", "openmp_region"),
            "additive": ("openmp_load_balance", "openmp_communication")}
# For each model: the whole, and its parts, which are multiplied or whose losses add up.
PARTS = {"multiplicative": (("parallel", "mpi_parallel", "openmp_parallel"),
                            ("mpi_parallel", "cpu", "load_balance", "communication"),
                            ("communication", "serialization", "transfer"),
                            ("openmp_parallel", "openmp_load_balance", "openmp_communication")),
         "additive": (("parallel", "mpi_parallel", "openmp_parallel"),
                      ("mpi_parallel", "cpu", "load_balance", "communication"),
                      ("communication", "serialization", "transfer"),
                      ("openmp_parallel", "openmp_serial", "openmp_region"))}


class RankTimes:
    """Of one rank of plait export --to json, in seconds: outside MPI, in parallel regions, and of
    each thread what it was busy there. The program's regions neither nest nor call MPI. Time in
    which the main thread waited for a CPU between two calls, before the second, is none of these,
    nor is that of other threads in their work."""

    def __init__(self, rank, shapes):
        in_mpi, self.regions, self.in_regions, self.busy = 0, 0, 0, []
        waits = waits_between_calls(rank, shapes)
        for number, stream in enumerate(rank["streams"]):
            busy = 0
            for begin, end, shape, size in stream["events"]:
                kind = shapes[shape]["kind"]
                waited = sum(max(0, min(end, until) - max(begin, since)) for since, until in waits)
                computed = end - begin - (waited if number == 0 else 0)
                if kind == "parallel":
                    self.regions += 1
                    self.in_regions += computed * 1e-9
                elif kind == "work":
                    busy += max(0, computed - size) * 1e-9
                elif begin >= rank["begin_ns"] and end <= rank["end_ns"]:
                    in_mpi += (end - begin) * 1e-9
            if number > 0:
                busy = max(0, busy - sum(before for _, before, _ in stream["cpu_waits"]) * 1e-9)
            self.busy.append(busy)
        waited = sum(until - since for since, until in waits)
        self.useful = (rank["end_ns"] - rank["begin_ns"] - waited) * 1e-9 - in_mpi


def waits_between_calls(rank, shapes):
    """When the main thread waited for a CPU outside MPI: begins and ends, in ns."""
    main = rank["streams"][0]
    calls = [(begin, end) for begin, end, shape, _ in main["events"]
             if shapes[shape]["kind"] not in ("parallel", "work", "region")
             and begin >= rank["begin_ns"] and end <= rank["end_ns"]]
    waits = []
    for at, before, _ in main["cpu_waits"]:
        until = min(at, rank["end_ns"])
        since = max([rank["begin_ns"]] + [end for begin, end in calls
                                          if begin < until and end <= until])
        if until > since and before > 0:
            waits.append((max(since, until - before), until))
    return waits


def reckoned(ranks, time_s, cpu):
    """The efficiencies without an ideal network, by model (docs/explanation/trace-analysis.md).
    @param cpu  the factor of waiting for a CPU"""
    useful = [rank.useful for rank in ranks]
    threads = []
    for rank in ranks:
        threads += [rank.busy[0] + rank.useful - rank.in_regions, *rank.busy[1:]]
    serial = sum((rank.useful - rank.in_regions) * (len(rank.busy) - 1) for rank in ranks)
    mean, longest = sum(useful) / len(useful), max(useful)
    of_threads, longest_thread = sum(threads) / len(threads), max(threads)
    both = {"parallel": of_threads / time_s, "mpi_parallel": mean / time_s}
    return {
        "multiplicative": {**both, "load_balance": mean / longest,
                           "communication": longest / time_s / cpu,
                           "openmp_parallel": of_threads / mean,
                           "openmp_load_balance": (of_threads / longest_thread) / (mean / longest),
                           "openmp_communication": longest_thread / longest},
        "additive": {**both, "load_balance": 1 - (longest - mean) / time_s,
                     "communication": longest / time_s + 1 - cpu,
                     "openmp_parallel": 1 - (mean - of_threads) / time_s,
                     "openmp_serial": 1 - serial / (time_s * len(threads))}}


def near(one, other):
    return abs(one - other) < 1e-6


def check_set(efficiencies, ranks, time_s, require):
    """One set of efficiencies: its model's identities, the limits, the figures reckoned again."""
    definition = efficiencies["definition"]
    model = definition.split(",")[0]
    for name in NOT_SAID[model]:
        require(efficiencies[name] is None, f"{definition}: {name} is not of this model")
    for whole, *names in PARTS[model]:
        parts = [efficiencies[name] for name in names]
        together = (math.prod(parts) if model == "multiplicative"
                    else sum(parts) - len(parts) + 1)
        require(near(efficiencies[whole], together), f"{definition}: {whole} {efficiencies}")
    for name in {name for names in PARTS[model] for name in names}:
        by_model = definition.endswith("replay") and name in ("transfer", "serialization")
        limited = not by_model and name not in WITHOUT_LIMIT.get(model, ())
        require(0 <= efficiencies[name] <= (1 + 1e-9 if limited else float("inf")),
                f"{definition}: {name} is {efficiencies[name]}")
    for name, value in reckoned(ranks, time_s, efficiencies["cpu"])[model].items():
        require(near(efficiencies[name], value),
                f"{definition}: {name} is {efficiencies[name]}, from the events {value}")


def check_hybrid(analysis, trace, threads, profiled, require):
    """@param analysis, trace  analysis.json and the JSON export of a run with `threads` a rank
    @param profiled  by rank and thread what the profile says of regions, s: the time that the
                     thread was busy, and the time that it or others waited for a CPU
    """
    ranks = [RankTimes(rank, trace["shapes"]) for rank in trace["ranks"]]
    for number, rank in enumerate(ranks):
        require(rank.regions > 0, "no parallel region was seen")
        require(len(rank.busy) == threads, f"busy threads: {rank.busy}")
        # Beside other programs a thread may wait for a CPU as long as it works.
        require(all(busy > 0 or profiled[number, thread][1] > 0
                    for thread, busy in enumerate(rank.busy)), f"busy threads: {rank.busy}")
        for thread, busy in enumerate(rank.busy):
            least, wait = profiled[number, thread]
            error = 1e-6 + 1e-4 * busy
            require(least - wait - error <= busy <= least + wait + error,
                    f"{busy} s busy, profile: {profiled}")
    sets = {one["definition"]: one for one in analysis["efficiencies"]}
    require(sorted(sets) == ["additive, replay", "additive, wait states",
                             "multiplicative, replay", "multiplicative, wait states"],
            f"definitions: {sorted(sets)}")
    begin = min(rank["begin_ns"] for rank in trace["ranks"])
    end = max(rank["end_ns"] for rank in trace["ranks"])
    for one in sets.values():
        check_set(one, ranks, (end - begin) * 1e-9, require)
