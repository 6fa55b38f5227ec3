# SPDX-License-Identifier: BSD-3-Clause
"""Writes the made-up figures of cluster-example.json: every kind that is measured across nodes.

cluster_example.py > cluster-example.json; then PLAIT_UPDATE_GOLDEN=1 build/release/tests/unit_model
adds what Plait computes from them (LogGP, switches, verdicts).
"""

import json
import random
import sys

RANDOM = random.Random(20100216)
SIZES = [0, 8, 64, 256, 512] + [1 << k for k in range(10, 23)]
PAIR_SIZES = [8, 512, 4096, 16384, 65536, 262144, 1048576, 4194304]
CORES = 8


def figure(median):
    """A statistic with half a percent of noise and an interval of one to either side."""
    median *= RANDOM.gauss(1, 0.005)
    return {
        "min": round(0.97 * median, 6), "median": round(median, 6),
        "ci_low": round(0.99 * median, 6), "ci_high": round(1.01 * median, 6), "n": 30,
        "samples": [],
    }


def gbs(size, time_us):
    return round(size / time_us / 1e3, 6)


def point(size, time_us, name):
    time = figure(time_us)
    return {"bytes": size, name: time, "bandwidth_gbs": gbs(size, time["median"])}


class Link:
    """What messages cost on a path: microseconds, bytes, GB/s."""

    def __init__(self, latency, eager, eager_gbs, jump, gbs_long, most_gbs):
        self.latency, self.eager, self.jump = latency, eager, jump
        self.eager_gbs, self.gbs_long, self.most_gbs = eager_gbs, gbs_long, most_gbs

    def one_way(self, size, pairs=1):
        share = min(1.0, self.most_gbs / (self.gbs_long * pairs))
        if size <= self.eager:
            return self.latency + size / (self.eager_gbs * share) / 1e3
        return self.latency + self.jump + size / (self.gbs_long * share) / 1e3


def path(name, title, link, pairs, total, line_us):
    result = {
        "id": name, "name": title, "pairs": pairs, "pairs_total": total,
        "mpi_pingpong": [point(s, link.one_way(s), "half_round_trip_us") for s in SIZES],
        "mpi_pingping": [point(s, 1.25 * link.one_way(s), "time_us") for s in SIZES],
        "mpi_multi_pair": [], "mpi_multi_pair_pingping": [], "mpi_pingpong_off_cache": [],
        "bare_memcpy": [],
        "mpi_overheads": [
            {"bytes": s, "send_us": figure(0.1 * link.latency + s / 12e3),
             "receive_us": figure(0.15 * link.latency + s / 12e3)}
            for s in SIZES if s <= link.eager],
        "mpi_back_to_back": [
            {"bytes": s, "messages": 64, "time_us": figure(0.3 * link.latency + s / 4e3)}
            for s in (8, 64, 512)],
    }
    for count in (1, 2, 4):
        for size in PAIR_SIZES:
            rate = count * size / link.one_way(size, count) / 1e3
            result["mpi_multi_pair"].append(
                {"pairs": count, "bytes": size, "bandwidth_gbs": figure(rate)})
            result["mpi_multi_pair_pingping"].append(
                {"pairs": count, "bytes": size, "bandwidth_gbs": figure(0.8 * rate)})
    result["mpi_eager"] = [{"bytes": s, "eager": s <= link.eager}
                           for s in (1024, 4096, 16384, 65536, 262144)]
    if line_us:
        result["bare_line_us"] = figure(line_us)
        result["by_pair"] = [
            {"pair": pair,
             "mpi_pingpong": [point(s, (1 + 0.03 * pair[1]) * link.one_way(s), "half_round_trip_us")
                              for s in SIZES if s >= 4096]}
            for pair in pairs if pair[0] == 0]
    return result


LINKS = {
    "l3": Link(0.3, 4096, 8, 2.1, 9, 18),
    "node": Link(0.6, 4096, 5, 2.3, 5.5, 11),
    "network": Link(2.1, 65536, 3.0, 6.3, 3.05, 3.25),
}


def paths():
    inside = [[0, c] for c in range(1, 4)]
    across = [[0, c] for c in range(4, 8)]
    return [
        path("l3", "shared L3", LINKS["l3"], inside, 12, 0.055),
        path("node", "same node", LINKS["node"], across, 16, 0.13),
        path("network", "between nodes", LINKS["network"], [[0, 0], [4, 4]], 64, None),
    ]


def overlap():
    """Sends move by themselves, receives do not, unless a thread communicates (figure 3.5)."""
    hidden = {("isend", ""): 0.95, ("irecv", ""): 0.03,
              ("isend", "a communicating thread"): 0.97,
              ("irecv", "a communicating thread"): 0.93}
    points = []
    for size, protocol in ((8 << 20, "rendezvous"), (16384, "eager")):
        alone = LINKS["network"].one_way(size)
        for (operation, setting), part in hidden.items():
            if protocol == "eager" and setting:
                continue
            for work in ("compute", "memory"):
                for amount in (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3):
                    work_us = amount * alone
                    covered = 0.9 if protocol == "eager" else part
                    total = alone + work_us - covered * min(alone, work_us)
                    if work == "memory":
                        total += 0.06 * min(alone, work_us)
                    points.append({
                        "path": "network", "operation": operation, "protocol": protocol,
                        "bytes": size, "work": work, "work_us": round(work_us, 3),
                        "alone_us": round(alone, 3), "total_us": figure(total),
                        "setting": setting})
    return points


def mixed():
    """Two senders overlap, one does not (figure 3.6)."""
    points = []
    intra_bytes = 8 << 20
    intra = LINKS["node"].one_way(intra_bytes)
    for senders in (2, 1):
        for size in (4096, 65536, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20):
            inter = LINKS["network"].one_way(size)
            both = max(intra, inter) * 1.05 if senders == 2 else intra + inter
            points.append({
                "senders": senders, "protocol": "eager" if size <= 65536 else "rendezvous",
                "intra_bytes": intra_bytes, "inter_bytes": size, "intra_us": figure(intra),
                "inter_us": figure(inter), "both_us": figure(both)})
    return points


def all_to_all():
    points = []
    for nodes in (2, 4):
        for ranks in (1, 2, 4, 8):
            for placement in ("packed", "spread"):
                if ranks in (1, 8) and placement == "spread":
                    continue
                socket = min(ranks, 4) if placement == "packed" else ranks // 2
                for size in (1024, 16384, 262144, 1048576):
                    share = 3.05 / ranks * (1.0 if socket < 4 else 0.8)
                    time_us = 2.1 * ranks + size / share / 1e3
                    points.append({
                        "nodes": nodes, "ranks_per_node": ranks, "ranks_per_socket": socket,
                        "placement": placement, "bytes": size,
                        "bandwidth_gbs": figure(size / time_us / 1e3)})
    return points


def collectives():
    steps = {4: 2, 8: 3, 16: 4, 32: 5}
    points = [
        {"operation": "barrier", "ranks": ranks, "nodes": 4, "bytes": 0,
         "time_us": figure(2.4 * rounds)} for ranks, rounds in steps.items()]
    for operation, factor in (("bcast", 1), ("allreduce", 2), ("alltoall", 6)):
        for ranks, rounds in steps.items():
            for size in (8, 512, 4096, 32768, 262144, 1048576):
                time_us = rounds * 2.2 + factor * size / 3.05e3 * (1 + ranks / 16)
                points.append({"operation": operation, "ranks": ranks, "nodes": 4, "bytes": size,
                               "time_us": figure(time_us)})
    return points


def topology():
    cores = [{"id": c, "package": c // 4, "numa": c // 4, "pus": [c]} for c in range(CORES)]
    halves = [list(range(4)), list(range(4, 8))]
    return {
        "packages": [{"id": i, "cores": half} for i, half in enumerate(halves)],
        "numa_nodes": [{"id": i, "memory_bytes": 6 << 30, "cores": half}
                       for i, half in enumerate(halves)],
        "caches": [{"level": 3, "type": "unified", "size_bytes": 8 << 20, "line_bytes": 64,
                    "cores": half} for half in halves],
        "cores": cores, "total_pus": CORES, "allowed_pus": "0-7", "allowed_cores": CORES,
        "cgroup_quota_cores": None,
    }


def main():
    json.dump({
        "schema": "plait-machine", "schema_version": 1, "plait_version": "0.1.0",
        "created": "2026-11-22T08:00:00Z", "host": "cluster-example", "origin": "synthetic",
        "cpu_model": "made-up processor", "os": "Linux 6.1.0",
        "notes": ["made-up figures of every kind that is measured across nodes"],
        "topology": topology(),
        "measured": {
            "quick": False, "duration_s": 305.0,
            "mpi": {"library": "Open MPI v4.1.4", "launcher": "/usr/bin/mpiexec.openmpi"},
            "stream": [], "jacobi": [], "paths": paths(), "all_to_all": all_to_all(),
            "overlap": overlap(), "mixed": mixed(), "collectives": collectives(),
        },
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
