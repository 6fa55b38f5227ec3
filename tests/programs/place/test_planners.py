# SPDX-License-Identifier: BSD-3-Clause
"""Compares placements with the maps that the mappers of Open MPI 4 and 5 print for simulated
machines; environment: PLAIT, MPIRUN, PRTERUN, MACHINES."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PLAIT = os.environ["PLAIT"]
MACHINES = pathlib.Path(os.environ["MACHINES"])
LIMIT_S = 150  # of one command; it only ends what hangs

# Machine (a recorded one, or a synthetic description), request, and Open MPI's --map-by for it.
CASES = [
    ("pack:2 numa:4 l3:2 core:8 pu:2(indexes=2*128:1*2)", "one per L3, 8 threads", "l3cache", 1, 8),
    ("pack:2 numa:4 l3:2 core:8 pu:1", "2 per L3, 4 threads", "l3cache", 2, 4),
    ("pack:2 numa:4 l3:2 core:8 pu:2(indexes=2*128:1*2)", "1 per NUMA, 16 threads", "numa", 1, 16),
    ("pack:2 [numa] l3:4 core:4 pu:1", "one per L3, 3 threads", "l3cache", 1, 3),
    ("pack:2 [numa] l3:4 core:4 pu:2", "4 per package, 4 threads", "package", 4, 4),
    ("pack:2 l3:1 numa:2 core:12 pu:2(indexes=2*48:1*2)", "2 per NUMA, 6 threads", "numa", 2, 6),
    ("[numa] pack:2 l2:2 core:2 pu:1", "one per L2, 2 threads", "l2cache", 1, 2),
    ("[numa] pack:1 core:8 pu:1", "one per core", "core", 1, 1),
    ("pack:4 [numa] l3:1 core:6 pu:1", "3 per package, 2 threads", "package", 3, 2),
    ("[numa] pack:2 core:4 pu:4", "one per core, 1 thread", "core", 1, 1),
    ("uneven-l3.xml", "one per L3, 4 threads", "l3cache", 1, 4),
    ("hybrid.xml", "one per L2, 1 thread", "l2cache", 1, 1),
    ("uneven-l3.xml", "2 per package, 8 threads", "package", 2, 8),
]


def placed(machine, intent):
    """Cores of each rank, from the plan; and the plan itself."""
    spec = str(MACHINES / machine) if machine.endswith(".xml") else "synthetic:" + machine
    out = subprocess.run([PLAIT, "place", intent + ", 2 nodes", "--hosts", "nodeA0,nodeA1",
                          "--machine", spec, "--emit", "plan"], capture_output=True, check=True)
    plan = json.loads(out.stdout)
    return [(place["node"], members(place["cores"])) for place in plan["places"]], plan


def members(text):
    numbers = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def simulated(planner, xml, options):
    """The map that a planner prints before it exits with an error. Open MPI 4's planner sometimes
    crashes while it prints: then it is run again; None if it never answers. Each run has its own
    session folder, so that no other job removes it."""
    command, parse = planner
    text = ""
    for _ in range(5):
        with tempfile.TemporaryDirectory(prefix="plait-sim-") as session:
            out = subprocess.run(command(xml) + options + ["hostname"], capture_output=True,
                                 check=False, timeout=LIMIT_S,
                                 env={**os.environ, "TMPDIR": session})
        text = out.stdout.decode(errors="replace") + out.stderr.decode(errors="replace")
        if ranks := parse(text):
            return ranks
    print(text)
    return None if "Segmentation fault" in text else []


def openmpi4(xml):
    return [os.environ["MPIRUN"], "--mca", "ras", "simulator", "--mca",
            "ras_simulator_num_nodes", "2", "--mca", "ras_simulator_slots", "128,128", "--mca",
            "ras_simulator_topo_files", xml, "--mca", "plm", "isolated", "--do-not-launch",
            "--display-map", "--report-bindings"]


def openmpi5(xml):
    return [os.environ["PRTERUN"], "--prtemca", "ras", "simulator", "--prtemca",
            "ras_simulator_num_nodes", "2", "--prtemca", "ras_simulator_topo_files", xml,
            "--display", "map", "--rtos", "donotlaunch"]


def map4(text):
    ranks = {}
    node = None
    for line in text.splitlines():
        if found := re.search(r"Data for node: (\S+)", line):
            node = found[1]
        if found := re.search(r"Process rank: (\d+) Bound: (.*?):?\[", line):
            cores = re.findall(r"core (\d+)", line)
            ranks[int(found[1])] = (node, sorted(int(core) for core in cores))
    return [ranks[rank] for rank in sorted(ranks)]


def map5(text):
    ranks = {}
    node = rank = None
    for line in text.splitlines():
        if found := re.search(r"Data for node: (\S+)", line):
            node = found[1]
        if found := re.search(r"Data for proc: \[\S+,(\d+)\]", line):
            rank = int(found[1])
        if "Binding:" in line:
            cores = [core for part in re.findall(r"core:L([\d,-]+)", line)
                     for core in members(part)]
            ranks[rank] = (node, sorted(cores))
    return [ranks[rank] for rank in sorted(ranks)]


def make_xml(machine, folder):
    if machine.endswith(".xml"):
        return str(MACHINES / machine)
    path = str(pathlib.Path(folder) / "machine.xml")
    subprocess.run(["lstopo-no-graphics", "-i", machine, "--of", "xml", "--force", path],
                   check=True, capture_output=True)
    return path


def main():
    planners = {}
    if os.environ["MPIRUN"] and shutil.which(os.environ["MPIRUN"]):
        planners["Open MPI 4"] = (openmpi4, map4)
    if shutil.which(os.environ["PRTERUN"]):
        planners["Open MPI 5"] = (openmpi5, map5)
    if not planners or not shutil.which("lstopo-no-graphics"):
        print("skipped: needs Open MPI's launchers and lstopo")
        return 77
    failed = 0
    answers = 0
    with tempfile.TemporaryDirectory(prefix="plait-planners-") as folder:
        for machine, intent, level, per, threads in CASES:
            ours, plan = placed(machine, intent)
            xml = make_xml(machine, folder)
            options = ["--map-by", f"ppr:{per}:{level}:pe={threads}", "--bind-to", "core", "-np",
                       str(len(ours))]
            for name, planner in planners.items():
                old = name == "Open MPI 4"
                if old and level == "core":
                    continue  # it prints "Bound: N/A" for ranks on single cores
                theirs = simulated(planner, xml, [option.replace("package", "socket") if old
                                                  else option for option in options])
                if theirs is None:
                    continue
                answers += 1
                failed += report(machine, intent, name, ours, theirs)
            if "Open MPI 5" in planners:
                rankfile = pathlib.Path(folder) / "rankfile"
                rankfile.write_text("".join(
                    f"rank {rank}={place['node']} slot={place['cores']}\n"
                    for rank, place in enumerate(plan["places"])))
                theirs = simulated(planners["Open MPI 5"], xml, [
                    "--map-by", f"rankfile:file={rankfile}", "--bind-to", "core", "-np",
                    str(len(ours))])
                failed += report(machine, intent, "Open MPI 5's rankfile", ours, theirs)
    print(f"{answers} answers on {len(CASES)} machines")
    return 1 if failed or answers < 8 * len(planners) else 0


def report(machine, intent, planner, ours, theirs):
    same = ours == theirs
    print(f"{'same' if same else 'DIFFERENT'}: {planner}: {intent} on {machine}")
    if not same:
        print(f"  ours   {ours}\n  theirs {theirs}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
