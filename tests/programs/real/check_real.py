#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that nobody here wrote, with and without `plait run`: same results, and counts of calls
and bytes that agree with what the programs print. LAMMPS and HPCC also under `plait check`, which
finds nothing; LAMMPS with two threads per rank and a trace, whose efficiencies are reckoned again.

    check_real.py --plait PATH lammps|hpcc|imb -- mpiexec -n 2 program
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from hybrid import check_hybrid

RANKS = 2
# The threads of LAMMPS write the atoms as text; the rest runs one thread per rank.
THREADS = {"lammps": 2}
CHECKED = ("lammps", "hpcc")
MELT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
dump atoms all custom/mpiio 10 atoms.mpiio id x y z vx vy vz
thermo 20
run 60
"""
STEPS = 60
HPCC_INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")


def require(holds, what):
    if not holds:
        sys.exit(f"wrong: {what}")


def run(command, folder, threads=1):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive",
                       OMPI_MCA_mpi_yield_when_idle="1", XDG_DATA_HOME=str(folder))
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"):
        environment[name] = environment[name + "_CONFIRM"] = "1"
    ended = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=280)
    if ended.returncode != 0:
        sys.exit(f"{command} ended with {ended.returncode}\n{ended.stdout}\n{ended.stderr}")
    return ended.stdout


class Profile:
    def __init__(self, path):
        self.data = json.loads(pathlib.Path(path).read_text())

    def total(self, name, field="count"):
        return sum(call[field] for call in self.data["calls"] if call["name"] == name)

    def sites(self, name, functions, field="count"):
        """Of the sites of a call whose innermost frames begin with these functions."""
        found = 0
        for site in self.data["sites"]:
            frames = [frame["function"] for frame in site["frames"]]
            if site["call"] == name and all(
                    index < len(frames) and wanted in frames[index]
                    for index, wanted in enumerate(functions)):
                found += site[field]
        return found

    def sent(self, index):
        return sum(entry[index] for entry in self.data["matrix"]["point_to_point"])


def check_messages(profile, sends, receives):
    """All messages sent were received, and the matrix shows what the calls show."""
    for index, field in ((2, "count"), (3, "bytes")):
        out = sum(profile.total(name, field) for name in sends)
        into = sum(profile.total(name, field) for name in receives)
        require(out == into, f"{field}: {out} sent, {into} received")
        require(profile.sent(index) == out, f"{field}: matrix {profile.sent(index)}, calls {out}")


def thermo(text):
    return [line for line in text.splitlines() if re.match(r"^ +\d+( +[-\d.e+]+){5} *$", line)]


def verdicts(text):
    return sorted(set(re.findall(r"PASSED|FAILED|Success=\d|Found \d+ errors|HPL_N=\d+", text)))


def lammps(plain, recorded, profile):
    require(len(thermo(plain)) >= 4, "no thermodynamic output")
    require(thermo(plain) == thermo(recorded), "the thermodynamic output changed")
    builds = int(re.search(r"Neighbor list builds = (\d+)", recorded).group(1))
    # Two ranks share two faces of the box: two messages per rank in each exchange. Forces go back
    # each step, positions go out in steps that build no neighbour list.
    messages = 2 * RANKS
    back = profile.sites("MPI_Send", ["CommBrick::reverse_comm", "Verlet::run"])
    require(back == messages * STEPS, f"{back} messages of forces in {STEPS} steps")
    out = profile.sites("MPI_Send", ["CommBrick::forward_comm"])
    require(out == messages * (STEPS - builds), f"{out} messages of positions, {builds} builds")
    check_messages(profile, ["MPI_Send", "MPI_Sendrecv"], ["MPI_Irecv", "MPI_Recv", "MPI_Sendrecv"])


def hpcc(plain, results, profile):
    require(verdicts(plain) == verdicts(results), "the verdicts changed")
    require("Success=1" in results and "FAILED" not in results, "HPCC did not succeed")
    for field in ("count", "bytes"):
        sent, received = profile.total("MPI_Send", field), profile.total("MPI_Recv", field)
        require(sent == received, f"{field}: {sent} sent, {received} received")
    # RandomAccess cancels the receives that are still posted at its end.
    posted = profile.total("MPI_Irecv") - profile.total("MPI_Cancel")
    require(posted == profile.total("MPI_Isend"), "Isend and completed Irecv differ")
    sends = ["MPI_Send", "MPI_Isend", "MPI_Sendrecv"]
    for index, field in ((2, "count"), (3, "bytes")):
        out = sum(profile.total(name, field) for name in sends)
        require(profile.sent(index) == out, f"{field}: matrix {profile.sent(index)}, calls {out}")


def imb(_, recorded, profile):
    tables = {}
    for line in recorded.splitlines():
        begins = re.match(r"# Benchmarking (\w+)", line)
        if begins:
            rows = tables.setdefault(begins.group(1), [])
        row = re.match(r"^ +(\d+) +(\d+) +[\d.]+", line)
        if row:
            rows.append((int(row.group(1)), int(row.group(2))))
    run_itself = ["run("]  # and not the warm-up
    for benchmark, call, routine in (("PingPong", "MPI_Send", "IMB_pingpong"),
                                     ("Sendrecv", "MPI_Sendrecv", "IMB_sendrecv"),
                                     ("Allreduce", "MPI_Allreduce", "IMB_allreduce")):
        require(tables.get(benchmark), f"no table of {benchmark}")
        calls = RANKS * sum(times for _, times in tables[benchmark])
        size = RANKS * sum(size * times for size, times in tables[benchmark])
        # IMB measures what it prints in the benchmark's run, once more while it sets its
        # iterations up (init_buffers_iter), and warms up besides.
        counted = profile.sites(call, [routine] + run_itself)
        moved = profile.sites(call, [routine] + run_itself, "bytes")
        require(counted == calls, f"{benchmark}: {calls} {call} printed, {counted} counted")
        require(moved == size, f"{benchmark}: {size} bytes printed, {moved} counted")
    check_messages(profile, ["MPI_Send", "MPI_Sendrecv"], ["MPI_Recv", "MPI_Sendrecv"])


def prepare(kind, command, folder):
    """Makes the input files; returns the command with its arguments."""
    if kind == "lammps":
        (folder / "in.melt").write_text(MELT)
        return command + ["-in", "in.melt", "-log", "none"]
    if kind == "hpcc":
        lines = HPCC_INPUT.read_text().splitlines()
        shrunk = {"Ns": "200 Ns", "Ps": "1 Ps", "Qs": "2 Qs"}
        lines = [shrunk.get(line.split()[-1], line) if line.split() else line for line in lines]
        (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")
        return command
    return command + ["-iter", "100", "-iter_policy", "off", "-msglog", "0:6",
                      "PingPong", "Sendrecv", "Allreduce"]


def results_of(kind, command, folder, threads=1):
    """What the command prints, or the file that it writes in place of that."""
    printed = run(command, folder, threads)
    written = folder / "hpccoutf.txt"
    if kind != "hpcc":
        return printed
    printed = written.read_text()
    written.unlink()
    return printed


def check_trace(plait, folder, profile, threads):
    """The efficiencies of a trace, and what its threads did, beside the profile."""
    run([plait, "export", "run", "--to", "json", "-o", "trace.json"], folder)
    openmp = profile.data["openmp"]
    require(openmp["measured"] == "gomp", f"OpenMP was measured by {openmp['measured']}")
    require(sum(thread["idle_s"] for thread in openmp["threads"]) > 0, "no thread ever waited")
    busy = {(thread["rank"], thread["thread"]): (thread["busy_s"], thread["cpu_wait_s"])
            for thread in openmp["threads"]}
    check_hybrid(json.loads((folder / "run" / "analysis.json").read_text()),
                 json.loads((folder / "trace.json").read_text()), threads, busy, require)


def check_check(kind, plain, command, folder):
    """plait check finds nothing, and changes no result."""
    checked = results_of(kind, command, folder)
    result = json.loads((folder / "checked" / "check.json").read_text())
    require(result["findings"] == [], f"plait check finds {result['findings']}")
    require(result["operations"] > 0 and result["ranks"] == RANKS, "plait check saw no ranks")
    same = thermo if kind == "lammps" else verdicts
    require(same(plain) == same(checked), "the results changed under plait check")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plait", required=True)
    parser.add_argument("kind", choices=["lammps", "hpcc", "imb"])
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    kind, threads = options.kind, THREADS.get(options.kind, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = prepare(kind, options.command, folder)
        plain = results_of(kind, command, folder)
        trace = ["--trace"] if threads > 1 else []
        recorded = results_of(kind, [options.plait, "run", *trace, "--output", "run", "--",
                                     *command], folder, threads)
        profile = Profile(folder / "run" / "profile.json")
        require(len(profile.data["ranks"]) == RANKS, "not all ranks were recorded")
        {"lammps": lammps, "hpcc": hpcc, "imb": imb}[kind](plain, recorded, profile)
        if trace:
            check_trace(options.plait, folder, profile, threads)
        if kind in CHECKED:
            check_check(kind, plain, [options.plait, "check", "--output", "checked", "--",
                                      *command], folder)
    print(f"{kind}: same results, and the counts agree")


main()
