# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the mapper reorders MPI topologies and that results stay bitwise the same.

Environment: PLAIT, MPI (name), MPIEXEC, MAPPER (preload object), PROGRAMS (folder), PROGRAM_ENV
(NAME=value pairs for the ranks). First argument: the group of tests. Exit code 77: skipped.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from test_groups import SKIPPED, NoNodes, run_group

PLAIT = os.environ["PLAIT"]
MPI = os.environ["MPI"]
MPIEXEC = shlex.split(os.environ["MPIEXEC"])
MAPPER = os.environ["MAPPER"]
PROGRAMS = pathlib.Path(os.environ["PROGRAMS"])
PROGRAM_ENV = shlex.split(os.environ.get("PROGRAM_ENV", ""))
FAMILY = "openmpi" if MPI.startswith("openmpi") else "mpich"
SUFFIX = MPI if MPI.endswith("_abi") else FAMILY  # of program names
LIMIT_S = 150  # only ends what hangs; no test waits for it

# 32 ranks on four nodes: neighbour pairs, pairs between nodes, pairs of the busiest node, which the
# mapper must reach from every start.
TABLE = {
    "4x4x2": (64, 16, 8), "4px4px2p": (80, 32, 16), "2x4x4": (64, 16, 8), "8x4": (52, 12, 8),
    "4x8": (52, 12, 8), "8px4p": (64, 16, 8), "32x1": (31, 3, 2), "6x5": (49, 13, 9),
    "3x3x3": (54, 20, 12), "5px6p": (60, 23, 12)}


def run(argv, **more):
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT_S, **more)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"did not end in {LIMIT_S} s: {late.stdout} {late.stderr}") from None


def cluster(nodes):
    """The start of a command that runs on emulated nodes."""
    return [PLAIT, "cluster", "run", "--name", f"mapper-{os.getpid()}", "--nodes", str(nodes), "--"]


def outputs(argv, **more):
    """Standard output and standard error of a command that must succeed."""
    result = run(argv, **more)
    if result.returncode == SKIPPED:
        raise NoNodes(result.stderr.strip())
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout, result.stderr


def under_mapper(program, *variables):
    """The end of a launcher's command."""
    return ["env", *PROGRAM_ENV, *variables, f"LD_PRELOAD={MAPPER}", str(PROGRAMS / program)]


def on_nodes(ranks, program, *arguments, options=()):
    """The output of a program under the mapper on four emulated nodes."""
    return outputs([*cluster(4), *MPIEXEC, *options, "-n", str(ranks),
                    *under_mapper(f"{program}.{SUFFIX}"), *arguments])[0]


def fake_nodes(count):
    """The environment in which MPICH deals ranks to simulated nodes."""
    return {**os.environ, "MPIR_CVAR_NUM_CLIQUES": str(count), "MPIR_CVAR_CH4_NETMOD": "ofi",
            "LC_ALL": "C.UTF-8"}


def on_two_nodes(ranks, program, *arguments, variables=()):
    """Both outputs of a program under the mapper, its ranks dealt to two nodes in turn."""
    command = ["-n", str(ranks), *under_mapper(program, *variables), *arguments]
    if FAMILY == "openmpi":
        return outputs([*cluster(2), *MPIEXEC, "--map-by", "node", *command])
    return outputs([*MPIEXEC, *command], env=fake_nodes(2))


def grids_of(output):
    """{(grid, reorder): {"cut": ..., "pairs": ..., ...}}"""
    found = {}
    for line in re.findall(r"^grid .*$", output, re.M):
        fields = line.split()
        values = dict(zip(fields[4::2], fields[5::2]))
        found[fields[1], fields[3]] = {
            name: value if name == "sum" else int(value) for name, value in values.items()}
    return found


class Table(unittest.TestCase):
    """The grids of the table, 32 ranks on four nodes."""

    def check(self, options=()):
        grids = grids_of(on_nodes(32, "grids", "01", *TABLE, options=options))
        for name, (pairs, cut, busiest) in TABLE.items():
            with self.subTest(name):
                before, after = grids[name, "0"], grids[name, "1"]
                self.assertEqual(before["moved"], 0)
                self.assertEqual(after["pairs"], pairs)
                self.assertLessEqual(after["cut"], cut)
                self.assertLessEqual(after["busiest"], busiest)
                self.assertEqual(after["sum"], before["sum"], "results are bitwise the same")
                if after["cut"] < before["cut"]:
                    self.assertGreater(after["moved"], 0)
        return grids

    def test_block_start(self):
        grids = self.check()
        self.assertEqual(grids["4x4x2", "0"]["cut"], 24)

    @unittest.skipUnless(FAMILY == "openmpi", "other launchers name each rank's node in a file")
    def test_cyclic_start(self):
        grids = self.check(["--map-by", "node"])
        self.assertEqual(grids["4x4x2", "0"]["cut"], 40)


class Calls(unittest.TestCase):
    """All calls, and the properties of the new communicators; 8 ranks on four nodes."""

    def test_graphs(self):
        found = re.findall(r"^graph (\S+) cut (\d+) wrong (\d+)$", on_nodes(8, "graphs", "1"), re.M)
        self.assertEqual(len(found), 7, found)
        for call, cut, wrong in found:
            with self.subTest(call):
                self.assertEqual((cut, wrong), ("0", "0"))

    def test_properties(self):
        options = ["--map-by", "node"] if FAMILY == "openmpi" else []
        output = on_nodes(8, "properties", options=options)
        moved, failed = re.search(r"^properties moved (\d+) failed (\d+)$", output, re.M).groups()
        self.assertEqual(failed, "0")
        if options:
            self.assertGreater(int(moved), 0)

    def test_fortran(self):
        programs = sorted(PROGRAMS.glob(f"fortran-*.{FAMILY}"))
        if not programs or PROGRAM_ENV:
            self.skipTest("this MPI has no Fortran bindings")
        for program in programs:
            with self.subTest(program.name):
                output = on_nodes(8, program.name.removesuffix(f".{FAMILY}"))
                self.assertRegex(output, r"(?m)^fortran moved \d+ wrong 0$")


class FakeNodes(unittest.TestCase):
    """plait run --map on nodes that MPICH simulates on this machine: cyclic."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plait-mapper-test-")
        self.env = {**fake_nodes(4), "XDG_DATA_HOME": self.folder.name}
        self.run_folder = pathlib.Path(self.folder.name) / "run"

    def tearDown(self):
        self.folder.cleanup()

    def plait_run(self, *arguments):
        return run([PLAIT, "run", "-o", str(self.run_folder), *arguments], env=self.env)

    def grids(self, *options, reorder):
        result = self.plait_run(*options, "--", *MPIEXEC, "-n", "8", "env", *PROGRAM_ENV,
                                str(PROGRAMS / f"grids.{SUFFIX}"), reorder, "2x4")
        self.assertEqual(result.returncode, 0, result.stderr)
        return grids_of(result.stdout)["2x4", reorder], result.stderr


class Reordering(FakeNodes):
    """Reorders if a program asks for it."""

    def test_reorders_and_reports(self):
        grid, report = self.grids("--map", reorder="1")
        self.assertLessEqual(grid["cut"], 6)
        self.assertGreater(grid["moved"], 0)
        self.assertRegex(report, r"Mapping: MPI_Cart_create 2x4 on 4 nodes: reordered; 6 instead")
        records = [json.loads(line) for file in (self.run_folder / "records").glob("*.map")
                   for line in file.read_text().splitlines()]
        self.assertEqual([(one["call"], one["after"]["cut_pairs"]) for one in records],
                         [("MPI_Cart_create", grid["cut"])])
        # The profile counts this call and none of the calls of the mapper.
        profile = json.loads((self.run_folder / "profile.json").read_text())
        self.assertIn("MPI_Cart_create", json.dumps(profile))
        again = run([PLAIT, "report", str(self.run_folder)], env=self.env)
        self.assertIn("Mapping: MPI_Cart_create", again.stdout)


class Asking(FakeNodes):
    """Reorders only if the program or the user asks for it."""

    def test_leaves_order_alone_unless_asked(self):
        grid, report = self.grids("--map", reorder="0")
        self.assertEqual(grid["moved"], 0)
        self.assertIn("nothing was mapped", report)

    def test_reorders_always_when_asked(self):
        grid, _ = self.grids("--map-always", reorder="0")
        self.assertGreater(grid["moved"], 0)

    def test_nothing_changes_without_it(self):
        grid, report = self.grids(reorder="1")
        self.assertEqual(grid["moved"], 0)
        self.assertNotIn("apping", report)


class Sessions(unittest.TestCase):
    """A program without MPI_COMM_WORLD."""

    def test_reorders(self):
        output, errors = on_two_nodes(4, f"sessions.{MPI}")
        self.assertRegex(output, r"(?m)^sessions moved 2 cut 1 wrong 0$")
        # MPI_Cart_map is local: it cannot look at the session's processes.
        self.assertEqual(len(re.findall("keeps the program's rank order", errors)), 1, errors)

    def test_runs_recorded(self):
        if FAMILY == "openmpi":
            self.skipTest("its nodes are emulated, and the run would be inside one")
        with tempfile.TemporaryDirectory(prefix="plait-mapper-test-") as folder:
            _, report = outputs([PLAIT, "run", "--map", "-o", f"{folder}/run", "--", *MPIEXEC, "-n",
                                 "4", "env", *PROGRAM_ENV, str(PROGRAMS / f"sessions.{MPI}")],
                                env={**fake_nodes(2), "XDG_DATA_HOME": folder})
        self.assertRegex(report, r"MPI_Cart_create 4 on 2 nodes: reordered; 1 instead of 3")


class StandardAbi(FakeNodes):
    """Programs for the MPI-5 standard ABI."""

    def test_graphs(self):
        command = [*MPIEXEC, "-n", "8", *under_mapper(f"graphs.{SUFFIX}"), "1"]
        found = re.findall(r"(?m)^graph (\S+) cut (\d+) wrong (\d+)$",
                           outputs(command, env={**self.env, "MPIR_CVAR_NUM_CLIQUES": "8"})[0])
        self.assertEqual(len(found), 7, found)
        self.assertEqual({wrong for _, _, wrong in found}, {"0"})


class Failures(unittest.TestCase):
    """MPI calls or allocations of the mapper fail: the program still gets its topology."""

    def check(self, what, *variables):
        # Ranks of MPICH spin while they wait, so start no more than there are cores.
        ranks = 4 if FAMILY == "openmpi" else 2
        output, errors = on_two_nodes(ranks, f"failures.{FAMILY}", what,
                                      variables=variables)
        found = re.findall(r"^failures (\w+) refused (\d+) reordered (\d+) wrong (\d+)$", output,
                           re.M)
        self.assertEqual(len(found), 4, output + errors)
        for call, refused, reordered, wrong in found:
            with self.subTest(call):
                self.assertEqual(wrong, "0", errors)
                self.assertGreater(int(refused), 10)
                if ranks > 2:
                    self.assertGreater(int(reordered), 0, "some failures do not matter")
                    self.assertLess(int(reordered), int(refused))
        self.assertEqual(len(re.findall("keeps the program's rank order", errors)), 1, errors)

    def test_mpi_calls(self):
        # Fails in MPI_Init as well: then every topology determines the nodes again.
        self.check("calls", "REFUSE_CALL=4")

    def test_memory(self):
        self.check("memory")

    @unittest.skipUnless(FAMILY == "mpich", "other libraries have too many to use them up")
    def test_communicators(self):
        output, errors = on_two_nodes(2, f"failures.{FAMILY}", "communicators")
        self.assertEqual(output, "failures communicators wrong 0\n", errors)
        self.assertRegex(errors, r"(?m)^plait: a topology keeps .*: an MPI call failed$")


class ManyGraphs(unittest.TestCase):
    """Open MPI's treematch takes no part in runs with the mapper: it hangs in some of them."""

    def output_of(self, option, graphs, **more):
        with tempfile.TemporaryDirectory(prefix="plait-mapper-test-") as folder:
            return outputs([PLAIT, "run", "-q", "-o", f"{folder}/run", option, "--", *MPIEXEC,
                            "--oversubscribe", "-n", "4", "env", *PROGRAM_ENV,
                            str(PROGRAMS / f"many_graphs.{SUFFIX}"), str(graphs)],
                           env={**os.environ, "XDG_DATA_HOME": folder, **more})[0]

    def test_end(self):
        for option in ("--map", "--map-always"):
            self.assertEqual(self.output_of(option, 40), "graphs 40 treematch 0\n")

    def test_the_users_choice_is_kept(self):
        self.assertEqual(self.output_of("--map-always", 1, OMPI_MCA_topo="treematch,basic"),
                         "graphs 1 treematch 1\n")


class Objects(unittest.TestCase):
    """Properties of the object: harmless to programs without MPI."""

    def test_shows_only_names_of_mpi_and_needs_no_mpi_library(self):
        shown = run(["nm", "-D", "--defined-only", MAPPER])
        self.assertEqual(shown.returncode, 0, shown.stderr)
        names = [line.split()[-1] for line in shown.stdout.splitlines()]
        self.assertIn("MPI_Cart_create", names)
        self.assertEqual([name for name in names if not name.startswith(("MPI_", "PMPI_"))], [])
        needed = run(["readelf", "-d", MAPPER]).stdout
        self.assertNotRegex(needed, r"NEEDED.*(libmpi|libmpich|libstdc|libfmt)")

    def test_other_programs_run_on(self):
        env = {**os.environ, "LD_PRELOAD": MAPPER}
        result = run(["sh", "-c", "env true && echo still here"], env=env)
        self.assertEqual((result.stdout, result.stderr), ("still here\n", ""))


GROUPS = {"table": [Table], "calls": [Calls], "local": [Objects], "failures": [Failures],
          "sessions": [Sessions], "abi": [Reordering, StandardAbi, Sessions]}
if MPI == "mpich":
    GROUPS["local"] += [Reordering, Asking]
if MPI == "openmpi":
    GROUPS["local"] += [ManyGraphs]


if __name__ == "__main__":
    run_group(GROUPS)
