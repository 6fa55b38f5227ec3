# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of two programs, ocean and ice: plans, mappings and the mapper know which rank is whose.

Environment: PLAIT, MPIEXEC, ACTOR (an MPI program with OpenMP), GRIDS (one that makes grids; may be
empty), MPI (name), STATIC (a program into which nothing can be loaded). Exit code 77: skipped.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
MPIEXEC = shlex.split(os.environ["MPIEXEC"])
LIMIT_S = 150  # only ends what hangs; no test waits for it
FAKE_NODES = os.environ["MPI"] == "mpich"  # MPICH can simulate nodes
CPUS = sorted(os.sched_getaffinity(0))


class Parts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plait-parts-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.env = {**os.environ, "XDG_DATA_HOME": temporary.name, "COLUMNS": "200",
                    "LC_ALL": "C.UTF-8"}
        library = pathlib.Path(MPIEXEC[0]).parent.parent / "lib"
        if "build/deps" in MPIEXEC[0]:
            self.env["LD_LIBRARY_PATH"] = str(library)
        for name in ("ocean", "ice"):
            shutil.copy(os.environ["ACTOR"], self.folder / name)

    def plait(self, *arguments, code=0):
        done = subprocess.run([PLAIT, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, env=self.env, timeout=LIMIT_S, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def command(self, first="./ocean exchange 20", second="./ice exchange 20", ranks=1):
        ranks = str(ranks)
        return [*MPIEXEC, "-n", ranks, *first.split(), ":", "-n", ranks, *second.split()]

    def refused(self, *arguments):
        error = self.plait(*arguments, code=2).stderr
        self.assertEqual(error.count("\n"), 1, error)
        return error


class Plans(Parts):
    def where(self, plan, *command):
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        return json.loads(self.plait("where", "--json", "--plan", path, "--", *command).stdout)

    @unittest.skipIf(len(CPUS) < 2, "needs two CPUs")
    def test_a_plan_places_both_programs(self):
        text = self.plait("place", "1 rank x 1 thread : 1 rank x 1 thread", "--emit", "plan", "-p",
                          "./ocean : ./ice").stdout
        plan = json.loads(text)
        self.assertEqual([(part["program"], part["ranks"], part["threads"])
                          for part in plan["parts"]], [("ocean", 1, 1), ("ice", 1, 1)])
        # Swapped, so that the places are not the launcher's choice.
        plan["places"].reverse()
        seen = self.where(plan, *self.command())
        self.assertEqual(seen["plan"], "All 2 ranks ran where the plan puts them.")
        places = {thread["program"]: (thread["rank"], thread["cpus"]) for thread in seen["threads"]}
        cpus = [place["cpus"] for place in plan["places"]]
        self.assertEqual(places, {"ocean": (0, cpus[0]), "ice": (1, cpus[1])})

    def test_each_program_has_its_threads(self):
        plan = json.loads(self.plait("place", "1 rank x 1 thread", "--emit", "plan").stdout)
        every = ",".join(map(str, CPUS))
        plan.update(ranks=2, threads=0, places=[{"node": "", "cpus": every, "cores": ""}] * 2,
                    parts=[{"program": name, "ranks": 1, "threads": threads, "environment": {}}
                           for name, threads in (("ocean", 3), ("ice", 1))])
        seen = self.where(plan, *self.command(second="env OMP_NUM_THREADS=2 ./ice exchange 20"))
        threads = [thread["program"] for thread in seen["threads"]]
        self.assertEqual((threads.count("ocean"), threads.count("ice")), (3, 1), seen)

    def test_other_programs_are_refused(self):
        self.plait("place", "1 rank : 1 rank", "-p", "./ocean : ./ice", "-o", "plan", "-m",
                   "synthetic:core:4 pu:1")
        start = ["where", "--plan", "plan", "--"]
        self.assertIn("program 1 of the command is ice",
                      self.refused(*start, *self.command("./ice", "./ocean")))
        self.assertIn("the command has 1 program", self.refused(*start, *MPIEXEC, "-n", "2",
                                                                "./ocean"))


class Mappings(Parts):
    def test_a_mapping_names_and_keeps_the_parts(self):
        self.plait("run", "-o", "run", "--", *self.command(
            "env OMP_NUM_THREADS=2 ./ocean exchange 20", "env OMP_NUM_THREADS=1 ./ice exchange 20"))
        text = self.plait("map", "run", "--nodes", "2x1").stdout
        self.assertRegex(text, r"(?m)^node 0 +ocean +0$")
        self.assertRegex(text, r"(?m)^node 1 +ice +1$")
        self.assertIn("each slot has room for 2 threads", " ".join(text.split()))
        for launcher in ("openmpi4", "openmpi5", "mpich", "intel"):
            text = self.plait("map", "run", "--nodes", "2x1", "--emit", launcher, "--folder",
                              launcher).stdout
            self.assertRegex(text, r"(?m)^\S*mpi\S* .*-n 1 .*\./ocean exchange 20 : -n 1 .*\./ice "
                                   r"exchange 20$")
            plan = json.loads((self.folder / launcher / "plan.json").read_text())
            self.assertEqual([(part["program"], part["ranks"], part["threads"])
                              for part in plan["parts"]], [("ocean", 1, 2), ("ice", 1, 1)])
        self.assertIn("own nodes", self.refused("map", "run", "--nodes", "2x1", "--emit", "slurm"))
        self.assertIn("needs 2 programs", self.refused("map", "run", "--nodes", "2x1", "--emit",
                                                       "mpich", "--", "./ocean"))


class Mapper(Parts):
    @unittest.skipUnless(os.environ["GRIDS"], "the mapper is not built")
    def test_programs_with_the_mapper_keep_their_results(self):
        for name in ("ocean", "ice"):
            shutil.copy(os.environ["GRIDS"], self.folder / name)
        command = self.command("./ocean 1 2x1", "./ice 1 2x1")
        if FAKE_NODES:
            # Four ranks, dealt to two nodes: the grid gains from ranks of both programs on each.
            self.env.update(MPIR_CVAR_NUM_CLIQUES="2", MPIR_CVAR_CH4_NETMOD="ofi")
            command = self.command("./ocean 1 4x1", "./ice 1 4x1", ranks=2)
        found = [re.findall(r"^grid .* moved (\d+) sum (\S+)", self.plait(
            "run", "-o", f"run{len(options)}", *options, "--", *command).stdout, re.M)
                for options in ((), ("--map",))]
        (without, expected), (moved, result) = found[0][0], found[1][0]
        self.assertEqual((without, result), ("0", expected), found)
        if FAKE_NODES:
            self.assertNotEqual(moved, "0")

    def test_a_program_without_the_mapper_is_refused(self):
        for second, reason in ((os.environ["STATIC"], "a static executable"),
                               ("env -u LD_PRELOAD ./ice", "started with another LD_PRELOAD")):
            error = self.refused("run", "--map", "--", *self.command(second=second))
            self.assertIn(f"{reason}, so the mapper cannot be loaded into it", error)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
