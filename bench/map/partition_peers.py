# SPDX-License-Identifier: BSD-3-Clause
"""Runs METIS and KaHIP: reads a graph and capacities, prints their best partitions.

Usage: partition_peers.py FILE. The lines of the file: capacities; offsets; neighbours; weights.
Prints one line per peer: `NAME SECONDS PART...` or `NAME missing`. METIS: recursive, with exact
target weights, 5 seeds; KaHIP: strong, imbalance 0, 3 seeds, equal capacities only. The result is
the seed with the fewest processes over capacity, then the lowest cut; the time is the median of a
call.
"""
import statistics
import sys
import time


def judge(part, capacity, xadj, adjncy, weights):
    """Processes over capacity, cut, and the most that leaves a part; lower is better."""
    room = list(capacity)
    load = [0] * len(capacity)
    for vertex, own in enumerate(part):
        room[own] -= 1
        for i in range(xadj[vertex], xadj[vertex + 1]):
            if part[adjncy[i]] != own:
                load[own] += weights[i]
    return sum(max(0, -left) for left in room), sum(load), max(load)


def best_of(seeds, call, graph):
    results = []
    times = []
    for seed in seeds:
        begin = time.perf_counter()
        part = list(call(seed))
        times.append(time.perf_counter() - begin)
        results.append((judge(part, *graph), part))
    return statistics.median(times), min(results)[1]


def metis(seed, capacity, xadj, adjncy, weights):
    import pymetis

    total = sum(capacity)
    options = pymetis.Options(seed=seed, ufactor=1)
    result = pymetis.part_graph(len(capacity), xadj=xadj, adjncy=adjncy, eweights=weights,
                                tpwgts=[c / total for c in capacity], recursive=True,
                                options=options)
    return result[1]


def kahip(seed, capacity, xadj, adjncy, weights):
    import kahip as library

    ones = [1] * (len(xadj) - 1)
    return library.kaffpa(ones, xadj, weights, adjncy, len(capacity), 0.0, True, seed,
                          library.STRONG)[1]


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        graph = [[int(word) for word in line.split()] for line in file]
    capacity = graph[0]
    peers = [("METIS", metis, range(5))]
    if len(set(capacity)) == 1 and sum(capacity) == len(graph[1]) - 1:
        peers.append(("KaHIP", kahip, range(3)))
    for name, peer, seeds in peers:
        try:
            seconds, part = best_of(seeds, lambda seed, call=peer: call(seed, *graph), graph)
        except ImportError:
            print(name, "missing")
            continue
        print(name, seconds, *part)


main()
