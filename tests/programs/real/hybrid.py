# SPDX-License-Identifier: BSD-3-Clause
"""POP's efficiencies of a traced run of MPI and OpenMP, reckoned again from its events."""

# Those of the multiplicative model may exceed 1; transfer by replay is a model's word.
WITHOUT_LIMIT = {"multiplicative": ("openmp_load_balance", "openmp_communication")}
NOT_SAID = {"multiplicative": ("openmp_serial", "openmp_region"),
            "additive": ("openmp_load_balance", "openmp_communication")}
# For each model: the whole, and its two parts, which are multiplied or whose losses add up.
PARTS = {"multiplicative": (("parallel", "mpi_parallel", "openmp_parallel"),
                            ("mpi_parallel", "load_balance", "communication"),
                            ("communication", "serialization", "transfer"),
                            ("openmp_parallel", "openmp_load_balance", "openmp_communication")),
         "additive": (("parallel", "mpi_parallel", "openmp_parallel"),
                      ("mpi_parallel", "load_balance", "communication"),
                      ("communication", "serialization", "transfer"),
                      ("openmp_parallel", "openmp_serial", "openmp_region"))}


class RankTimes:
    """Of one rank of plait export --to json, in seconds: outside MPI, in parallel regions, and of
    each thread what it was busy there. The program's regions neither nest nor call MPI."""

    def __init__(self, rank, shapes):
        in_mpi, self.regions, self.in_regions, self.busy = 0, 0, 0, []
        for stream in rank["streams"]:
            busy = 0
            for begin, end, shape, size in stream["events"]:
                kind = shapes[shape]["kind"]
                if kind == "parallel":
                    self.regions += 1
                    self.in_regions += (end - begin) * 1e-9
                elif kind == "work":
                    busy += (end - begin - size) * 1e-9
                elif begin >= rank["begin_ns"] and end <= rank["end_ns"]:
                    in_mpi += (end - begin) * 1e-9
            self.busy.append(busy)
        self.useful = (rank["end_ns"] - rank["begin_ns"]) * 1e-9 - in_mpi


def reckoned(ranks, time_s):
    """The efficiencies without an ideal network, by model (docs/explanation/trace-analysis.md)."""
    useful = [rank.useful for rank in ranks]
    threads = []
    for rank in ranks:
        threads += [rank.busy[0] + rank.useful - rank.in_regions, *rank.busy[1:]]
    serial = sum((rank.useful - rank.in_regions) * (len(rank.busy) - 1) for rank in ranks)
    mean, longest = sum(useful) / len(useful), max(useful)
    of_threads, longest_thread = sum(threads) / len(threads), max(threads)
    both = {"parallel": of_threads / time_s, "mpi_parallel": mean / time_s,
            "communication": longest / time_s}
    return {
        "multiplicative": {**both, "load_balance": mean / longest,
                           "openmp_parallel": of_threads / mean,
                           "openmp_load_balance": (of_threads / longest_thread) / (mean / longest),
                           "openmp_communication": longest_thread / longest},
        "additive": {**both, "load_balance": 1 - (longest - mean) / time_s,
                     "openmp_parallel": 1 - (mean - of_threads) / time_s,
                     "openmp_serial": 1 - serial / (time_s * len(threads))}}


def near(one, other):
    return abs(one - other) < 1e-6


def check_set(efficiencies, expected, require):
    """One set of efficiencies: its model's identities, the limits, the figures reckoned again."""
    definition = efficiencies["definition"]
    model = definition.split(",")[0]
    for name in NOT_SAID[model]:
        require(efficiencies[name] is None, f"{definition}: {name} is not of this model")
    for whole, first, second in PARTS[model]:
        one, other = efficiencies[first], efficiencies[second]
        together = one * other if model == "multiplicative" else one + other - 1
        require(near(efficiencies[whole], together), f"{definition}: {whole} {efficiencies}")
    for name in {name for names in PARTS[model] for name in names}:
        by_model = definition.endswith("replay") and name in ("transfer", "serialization")
        limited = not by_model and name not in WITHOUT_LIMIT.get(model, ())
        require(0 <= efficiencies[name] <= (1 + 1e-9 if limited else float("inf")),
                f"{definition}: {name} is {efficiencies[name]}")
    for name, value in expected[model].items():
        require(near(efficiencies[name], value),
                f"{definition}: {name} is {efficiencies[name]}, from the events {value}")


def check_hybrid(analysis, trace, threads, profiled, require):
    """@param analysis, trace  analysis.json and the JSON export of a run with `threads` a rank
    @param profiled  by rank and thread what the profile says of busy time in regions, s
    """
    ranks = [RankTimes(rank, trace["shapes"]) for rank in trace["ranks"]]
    for number, rank in enumerate(ranks):
        require(rank.regions > 0, "no parallel region was seen")
        require(len(rank.busy) == threads and min(rank.busy) > 0, f"busy threads: {rank.busy}")
        for thread, busy in enumerate(rank.busy):
            require(abs(busy - profiled[number, thread]) <= 1e-6 + 1e-4 * busy,
                    f"{busy} s busy, profile: {profiled}")
    sets = {one["definition"]: one for one in analysis["efficiencies"]}
    require(sorted(sets) == ["additive, replay", "additive, wait states",
                             "multiplicative, replay", "multiplicative, wait states"],
            f"definitions: {sorted(sets)}")
    begin = min(rank["begin_ns"] for rank in trace["ranks"])
    end = max(rank["end_ns"] for rank in trace["ranks"])
    expected = reckoned(ranks, (end - begin) * 1e-9)
    for one in sets.values():
        check_set(one, expected, require)
