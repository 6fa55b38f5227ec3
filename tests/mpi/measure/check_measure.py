# SPDX-License-Identifier: BSD-3-Clause
"""Runs plait measure and checks the structure of its machine file, but no values.

On a machine that is too busy, plait measure leaves figures of messages out and says so; then the
figures that are there are checked.

check_measure.py PLAIT FILE [OPTION...]      a measurement with these options has every part
check_measure.py PLAIT FILE --nodes HOST ...  messages, collectives and overlap on one node
check_measure.py PLAIT FILE --on-cluster ...  the same on two emulated nodes
check_measure.py PLAIT FILE --case NAME      one of the cases below

Exits with 77 (skipped, for ctest) if only one core is allowed and messages need two.
"""

import json
import math
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from small_caches import small_caches  # noqa: E402

LISTS_OF_NODES = {"collectives": [], "all_to_all": [], "overlap": [], "overlap_verdicts": []}
SIZES = [0] + [1 << power for power in range(23)]


def run_measure(plait, file, *options):
    """Runs plait measure with small arrays; returns the finished process."""
    output = [] if "--output" in options else ["--output", file]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([plait, "measure", *output, *options], capture_output=True,
                              text=True, timeout=200, check=False,
                              env={**os.environ, **small_caches(folder)})


def measure(plait, file, *options):
    """Runs plait measure; returns the finished process and the machine file or None."""
    if os.path.exists(file):
        os.remove(file)
    done = run_measure(plait, file, *options)
    machine = None
    if os.path.exists(file):
        with open(file, encoding="utf-8") as text:
            machine = json.load(text)
    print(done.stdout, done.stderr)
    return done, machine


def check_statistic(value):
    assert value["n"] == len(value["samples"]) >= 1, value
    numbers = [value[name] for name in ("min", "ci_low", "median", "ci_high")]
    assert numbers == sorted(numbers) and all(map(math.isfinite, numbers)), value
    assert value["min"] == min(value["samples"]) > 0, value


def too_busy(done):
    """True if figures were left out because the ranks did not get the CPU, both by the warnings."""
    warnings = " ".join(done.stderr.split())
    waited = re.search(r"waited [0-9.]+ % of the time for a CPU", warnings)
    return bool(waited) and ("left out, because messages took far longer" in warnings
                             or "out of time after" in warnings
                             or "did not end within" in warnings)


def check_curve(points, name, part=False):
    """All sizes, or if only a part was measured, the first ones."""
    sizes = [point["bytes"] for point in points]
    assert sizes == (SIZES[:len(sizes)] if part else SIZES), name
    for point in points:
        check_statistic(point[name])


def check_memory(measured, cores):
    stores = {result["non_temporal"] for result in measured["stream"]}
    assert False in stores
    for kernel in ("copy", "scale", "add", "triad"):
        for threads in (1, cores):
            assert [r for r in measured["stream"]
                    if r["kernel"] == kernel and r["threads"] == threads], (kernel, threads)
    for result in measured["stream"]:
        check_statistic(result["gbs"])
    assert {1, cores} <= {result["cores"] for result in measured["jacobi"]}
    for result in measured["jacobi"]:
        check_statistic(result["mlups"])


def check_openmp(measured, cores):
    """Every runtime that was measured has two threads and one on each core."""
    costs = measured.get("openmp", [])
    assert cores < 2 or costs, "no OpenMP runtime"
    for cost in costs:
        assert {2, cores} == {of["threads"] for of in costs if of["runtime"] == cost["runtime"]}
        for name in ("start_us", "region_us", "barrier_us", "task_us"):
            check_statistic(cost[name])


def check_init(measured, cores):
    assert {1, cores} <= {point["ranks"] for point in measured["mpi_init"]}
    for point in measured["mpi_init"]:
        check_statistic(point["time_us"])


def check_bare(path):
    check_statistic(path["bare_line_us"])
    check_curve(path["bare_memcpy"], "one_way_us")
    check_curve(path["bare_pingping"], "time_us")


def check_messages(path, part):
    check_curve(path["mpi_pingpong"], "half_round_trip_us", part)
    check_curve(path["mpi_pingping"], "time_us", part)
    check_curve(path["mpi_pingpong_off_cache"], "half_round_trip_us", part)
    for point in path["mpi_multi_pair"]:
        check_statistic(point["bandwidth_gbs"])
    assert part or path["mpi_multi_pair"], "several pairs at once"


def whole(plait, file, *options):
    done, machine = measure(plait, file, *options)
    assert done.returncode == 0
    measured = machine["measured"]
    check_memory(measured, machine["topology"]["allowed_cores"])
    check_openmp(measured, machine["topology"]["allowed_cores"])
    assert measured["paths"] and "mpi" in measured, machine["notes"]
    check_init(measured, machine["topology"]["allowed_cores"])
    for path in measured["paths"]:
        check_bare(path)
        check_messages(path, too_busy(done))
    assert measured["sentinel"]["samples"]
    assert machine["origin"] == "measured" and machine["notes"]
    assert f"Machine file: {file}" in done.stdout and "Next: plait run" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines()
               if file not in line), "80 columns"
    assert "measuring [" in done.stderr, "progress"


def check_node_figures(measured, nodes, ranks, part):
    """Collectives, and overlap by default and with a communicating thread."""

    def check_set(found, wanted, name=None):
        assert found <= wanted if part else found == wanted, (name, found)

    if part:
        measured = {**LISTS_OF_NODES, **measured}
    operations = {point["operation"] for point in measured["collectives"]}
    check_set(operations, {"barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall"})
    most = max((point["ranks"] for point in measured["collectives"]), default=0)
    assert most <= ranks if part else most == ranks
    for point in measured["collectives"]:
        check_statistic(point["time_us"])
    for point in measured["all_to_all"]:
        check_statistic(point["bandwidth_gbs"])
        assert point["nodes"] <= nodes and point["placement"] in ("packed", "spread")
    paths = {point["path"] for point in measured["overlap"]}
    assert part or ("network" in paths) == (nodes > 1)
    for setting, works in (("", {"compute", "memory"}), ("a communicating thread", {"compute"})):
        points = [point for point in measured["overlap"] if point["setting"] == setting]
        check_set({point["operation"] for point in points}, {"isend", "irecv"}, setting)
        check_set({point["work"] for point in points}, works, setting)
        for point in points:
            check_statistic(point["total_us"])
    assert part or "" in {verdict["setting"] for verdict in measured["overlap_verdicts"]}


def nodes(plait, file, *options):
    done, machine = measure(plait, file, "--only-nodes", *options)
    assert done.returncode == 0
    check_node_figures(machine["measured"], 1, len(machine_cores(plait)), too_busy(done))
    assert machine["measured"]["stream"] == [], "measurements of a single node are left out"
    assert f"Machine file: {file}" in done.stdout


def on_cluster(plait, file, *options):
    """On two emulated nodes with two ranks each; 77 if they cannot be emulated."""
    name = f"measure-{os.getpid()}"
    up = subprocess.run([plait, "cluster", "up", "--name", name, "--nodes", "2"],
                        capture_output=True, text=True, timeout=60, check=False)
    print(up.stdout, up.stderr)
    if up.returncode != 0:
        sys.exit(up.returncode)
    try:
        done, machine = measure(plait, file, "--only-nodes", "--cluster", name,
                                "--ranks-per-node", "2", *options)
    finally:
        subprocess.run([plait, "cluster", "down", "--name", name], timeout=60, check=True)
    assert done.returncode == 0
    measured = machine["measured"]
    part = too_busy(done)
    check_node_figures(measured, 2, 4, part)
    network = [path for path in measured["paths"] if path["id"] == "network"]
    assert len(network) == 1 and network[0]["pairs"] == [[0, 1]]
    check_curve(network[0]["mpi_pingpong"], "half_round_trip_us", part)
    check_curve(network[0]["mpi_pingping"], "time_us", part)
    assert part or {point["pairs"] for point in network[0]["mpi_multi_pair"]} == {1, 2}
    assert part or {point["senders"] for point in measured.get("mixed", [])} == {1}
    assert "between nodes" in done.stdout


def case_without_mpi(plait, file):
    done, machine = measure(plait, file, "--no-mpi", "--budget", "2", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == machine, "--json prints the machine file"
    assert "mpi" not in machine["measured"]
    for path in machine["measured"]["paths"]:
        check_bare(path)
        assert path["mpi_pingpong"] == []
    assert any("--no-mpi" in note for note in machine["notes"])


def case_merges(plait, file):
    """A second measurement is merged with the first one."""
    core = str(machine_cores(plait)[0])
    fast = ["--no-mpi", "--budget", "1", "--cores", core]
    done, first = measure(plait, file, *fast)
    assert done.returncode == 0 and "runs" not in first["measured"]
    done = run_measure(plait, file, *fast)
    assert done.returncode == 0, done.stderr
    with open(file, encoding="utf-8") as text:
        second = json.load(text)
    assert second["measured"]["runs"] == 2
    assert "Merged 2 measurements" in done.stdout
    for result in second["measured"]["stream"]:
        value = result["gbs"]
        if "runs" in value:  # both measurements were usable
            assert value["n"] == sum(run["n"] for run in value["runs"]) == len(value["samples"])


def case_figure_of_overlap(plait, file):
    if len(machine_cores(plait)) < 2:
        sys.exit(77)
    done, machine = measure(plait, file, "--figure", "overlap", "--budget", "1")
    assert done.returncode == 0
    verdicts = machine["measured"]["overlap_verdicts"] if "measured" in machine else []
    assert all(verdict["sentence"] in " ".join(done.stdout.split()) for verdict in verdicts)
    assert "listing 3.1" in done.stdout


def case_on_one_core(plait, file):
    core = machine_cores(plait)[0]
    done, machine = measure(plait, file, "--cores", str(core), "--budget", "2", "--no-mpi")
    assert done.returncode == 0
    check_memory(machine["measured"], 1)
    smt = [path for path in machine["measured"]["paths"] if path["id"] == "smt"]
    assert smt == machine["measured"]["paths"], "only the path between threads of the core"
    if not smt:
        assert "paths between cores" in " ".join(done.stderr.split()), "reports what is missing"


def case_mpi_that_fails(plait, file):
    with Launcher("echo 'cannot open the port: Error 7' >&2; exit 3") as launcher:
        done, machine = measure(plait, file, "--budget", "2", "--mpi", launcher)
    if len(machine_cores(plait)) < 2:
        sys.exit(77)
    assert done.returncode == 0, "the other results are kept"
    check_memory(machine["measured"], machine["topology"]["allowed_cores"])
    assert "exit code 3: cannot open the port: Error 7" in " ".join(done.stderr.split())
    assert any("MPI part not measured" in note for note in machine["notes"])


def case_mpi_that_hangs(plait, file):
    with Launcher("sleep 1000 & sleep 1000") as launcher:
        done, machine = measure(plait, file, "--quick", "--budget", "2", "--mpi", launcher)
    if len(machine_cores(plait)) < 2:
        sys.exit(77)
    assert done.returncode == 0
    assert "did not end within" in " ".join(done.stderr.split())
    assert any("MPI part not measured" in note for note in machine["notes"])


def case_bad_input(plait, file):
    for options, message in (
            (["--mpi", "/nonexistent/mpiexec"], "/nonexistent/mpiexec: no such program"),
            (["--mpi", "/bin/true"], "/bin/true: not a known MPI launcher"),
            (["--cores", "9999"], "core 9999 does not exist or is not allowed"),
            (["--cores", "99999"], "\"99999\": not a list of hardware threads"),
            (["--cores", "many"], "many"),
            (["--output", "/nonexistent/folder/file.json"], "/nonexistent/folder/file.json"),
            (["--only-nodes"], "needs --nodes or --cluster"),
            (["--figure", "mixed"], "needs two nodes"),
            (["--repeat", "0"], "--repeat"),
            (["--nodes", "n0,n0"], "n0 occurs twice"),
            (["--nodes", "n0", "--no-mpi"], "measuring several nodes needs MPI"),
            (["--cluster", "no-such-cluster"], "no such cluster is up"),
            (["--budget", "-1"], "--budget")):
        done, machine = measure(plait, file, *options)
        assert done.returncode == 2, options
        assert machine is None
        assert message in done.stderr, options
        by_parser = {"--budget", "--repeat"} & set(options)
        assert done.stderr.startswith("plait: error: ") or by_parser, options
        assert "measuring [" not in done.stderr, "refused before anything is measured"


def machine_cores(plait):
    done = subprocess.run([plait, "machine", "show", "--json"], capture_output=True, text=True,
                          timeout=60, check=True)
    topology = json.loads(done.stdout)["topology"]
    allowed = set()
    for part in topology["allowed_pus"].split(","):
        first, _, last = part.partition("-")
        allowed |= set(range(int(first), int(last or first) + 1))
    return [core["id"] for core in topology["cores"] if allowed & set(core["pus"])]


class Launcher:
    """A program that claims to be the mpiexec of MPICH and then does something else."""

    def __init__(self, script):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "mpiexec")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n"
                       "case \"$1\" in --version) echo 'HYDRA build details:'\n"
                       "echo '    Version: 4.0.2'; exit 0;; esac\n" + script + "\n")
        os.chmod(self.path, stat.S_IRWXU)

    def __enter__(self):
        return self.path

    def __exit__(self, *ignored):
        self.folder.cleanup()


def main():
    plait, file, *options = sys.argv[1:]
    if options[:1] == ["--case"]:
        globals()["case_" + options[1]](plait, file)
        return
    if len(machine_cores(plait)) < 2:
        print("skipped: messages between cores need two cores")
        sys.exit(77)
    if options[:1] == ["--on-cluster"]:
        on_cluster(plait, file, *options[1:])
    elif options[:1] == ["--nodes"]:
        nodes(plait, file, *options)
    else:
        whole(plait, file, *options)


if __name__ == "__main__":
    main()
