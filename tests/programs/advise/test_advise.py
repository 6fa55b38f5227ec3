# SPDX-License-Identifier: BSD-3-Clause
"""plait advise and plait apply on real runs: plans, a winner, a plan that is not kept, quarantine.

Environment: PLAIT, KIND (openmpi, mpich), MPIEXEC, EXCHANGE (program), SCHEMAS (folder),
JACOBI (plait-jacobi of this MPI; may be empty).
First argument: the group of tests. Exit code 77: skipped.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from test_groups import SKIPPED, NoNodes, run_group

try:
    import jsonschema
except ImportError:
    jsonschema = None  # schemas are left to machines that have it

PLAIT, KIND, EXCHANGE = os.environ["PLAIT"], os.environ["KIND"], os.environ["EXCHANGE"]
MPIEXEC = [os.environ["MPIEXEC"]]
if KIND == "openmpi":
    MPIEXEC += ["--oversubscribe", "--bind-to", "none"]
LU = pathlib.Path(PLAIT).parent / "plait-lu"
CG = pathlib.Path(PLAIT).parent / "plait-cg"
LIMIT_S = 150  # per command; it only ends what hangs
ON_ONE_CORE = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]


@contextlib.contextmanager
def busy(count):
    """That many processes use CPUs meanwhile."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


class Advice(unittest.TestCase):
    """A folder and state of its own for each test."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="plait-advise-")
        self.folder = pathlib.Path(self.scratch.name)
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"),
                    "XDG_DATA_HOME": str(self.folder / "data"), "LC_ALL": "C.UTF-8"}

    def tearDown(self):
        self.scratch.cleanup()

    def plait(self, *arguments, **more):
        result = subprocess.run([PLAIT, *map(str, arguments)], capture_output=True, text=True,
                                timeout=LIMIT_S, cwd=self.folder, env={**self.env, **more},
                                check=False)
        if result.returncode == SKIPPED:
            raise NoNodes(result.stderr)
        return result

    def fits(self, schema, file):
        if jsonschema is not None:
            text = (pathlib.Path(os.environ["SCHEMAS"]) / schema).read_text()
            jsonschema.validate(json.loads(file.read_text()), json.loads(text))

    def advise(self, run="run"):
        """What is advised for a run, as text and as JSON."""
        text = self.plait("advise", run, "--output", "advice.json")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.fits("advice-1.schema.json", self.folder / "advice.json")
        advice = json.loads((self.folder / "advice.json").read_text())
        times = [plan["after"]["s"] for plan in advice["plans"]]
        self.assertEqual(times, sorted(times), "the shortest time is first")
        for plan in advice["plans"]:
            self.assertLessEqual(plan["after"]["low_s"], plan["after"]["s"])
            self.assertLessEqual(plan["after"]["high_s"], plan["before"]["s"])
            self.fits("plan-1.schema.json", self.folder / plan["file"])
        lines = [line for line in text.stdout.splitlines() if len(line) > 80]
        self.assertEqual([line for line in lines if "run/plans/" not in line], [])
        return text.stdout, advice

    def apply(self, *arguments, inside=(), command=(), **more):
        """The finished command, and its JSON."""
        done = self.plait(*inside, "apply", "--output", "applied", *arguments, "--", *MPIEXEC,
                          *command, **more)
        file = self.folder / "applied" / "apply.json"
        self.assertTrue(file.exists(), done.stderr)
        self.fits("apply-1.schema.json", file)
        return done, json.loads(file.read_text())

    def check_outcome(self, done, report):
        """Only a plan whose interval lies above 1 is kept, and it says so everywhere."""
        self.assertIsNone(report["failure"], report["failure"])
        pairs, disturbed = len(report["pairs"]), report["disturbed_pairs"]
        self.assertEqual(max(pairs, disturbed), 6, "disturbed pairs are repeated")
        won = pairs == 6 and report["ratio"]["low"] > 1
        self.assertEqual((report["kept"], done.returncode), (won, 0 if won else 1))
        self.assertEqual((self.folder / "plait-plan.json").exists(), won)
        verdicts = {"faster": "Kept: ", "slower": "Not kept: ", "undecided": "Undecided, "}
        self.assertTrue(done.stdout.startswith(verdicts[report["outcome"]]), done.stdout)
        self.assertEqual(report["outcome"] == "faster", won)
        if pairs == 6:
            self.assertRegex(done.stdout,
                             r"(?m)^ratio +[\d.]+  [\d.]+( to [\d.]+)? \(95 % interval\)$")
        orders = re.findall(r"(?m)^plait: pair .*, (after|before): ", done.stderr)
        turns = ["after", "before", "before", "after"] * 6
        self.assertEqual(orders, turns[:2 * (pairs + disturbed)], "runs take turns")
        return won


class Placement(Advice):
    """Ranks that share a core while others are idle."""

    def test_plans_are_listed_and_a_plan_that_the_command_overrides_is_not_kept(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")
        command = ["-n", "2", *ON_ONE_CORE, EXCHANGE]
        run = self.plait("run", "--quiet", "--trace", "-o", "run", "--", *MPIEXEC, *command, "0.4",
                         "1000", "10")
        self.assertEqual(run.returncode, 0, run.stderr)
        text, advice = self.advise()
        names = [plan["name"] for plan in advice["plans"]]
        if advice["undecided"]:
            self.skipTest("other programs use too much of the CPUs for a certain gain")
        self.assertIn("2 ranks x 1 thread, each on its own cores", names)
        self.assertIn("mapping: with fewer than 3 ranks there is only one mapping", text)
        self.assertIn("Next: plait apply run/plans/1-", text)
        # taskset binds behind the launcher, so the ranks stay where they were.
        done, report = self.apply(advice["plans"][0]["file"], command=[*command, "0"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not run where the plan puts", done.stdout)
        self.assertEqual((report["pairs"], report["failure"]["ending"]), ([], "ended"))
        self.assertFalse((self.folder / "plait-plan.json").exists())

    def test_to_bind_ranks_that_others_took_the_cores_from_is_not_advised(self):
        cores = os.sched_getaffinity(0)
        if len(cores) < 2:
            self.skipTest("needs two cores")
        with busy(len(cores)):
            run = self.plait("run", "--quiet", "-o", "run", "--", *MPIEXEC, "-n", "2", EXCHANGE,
                             "0.4", "1000", "10")
        self.assertEqual(run.returncode, 0, run.stderr)
        text, advice = self.advise()
        bound = [plan for plan in advice["plans"] if "on its own cores" in plan["name"]]
        self.assertEqual(bound, [])
        self.assertIn("placement: ", text)

    def test_other_programs_leave_it_undecided_if_ranks_on_one_core_would_gain(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("needs two cores")
        inside = [*MPIEXEC, "-n", "2", *ON_ONE_CORE, PLAIT, "run", "--quiet", "-o", "run"]
        with busy(1):
            run = subprocess.run([*inside, EXCHANGE, "0.4", "1000", "10"], capture_output=True,
                                 text=True, timeout=LIMIT_S, cwd=self.folder, env=self.env,
                                 check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        text, advice = self.advise()
        self.assertTrue(advice["plans"] or advice["undecided"], advice)
        if advice["plans"]:
            # The launcher around plait run is part of the command, plait run is not.
            command = " ".join([*MPIEXEC, "-n", "2", *ON_ONE_CORE, EXCHANGE, "0.4", "1000", "10"])
            self.assertIn(f" -- {command}", text)
        else:
            self.assertTrue(text.startswith("Undecided: "), text)


class Errors(Advice):
    """Bad input is one line."""

    def test_errors(self):
        (self.folder / "empty").mkdir()
        (self.folder / "broken.json").write_text("{")
        for arguments, part in ((["advise", "missing"], "missing"), (["advise", "empty"], "empty"),
                                (["apply", "broken.json", "--", "true"], "broken.json"),
                                (["apply", "missing.json", "--", "true"], "missing.json")):
            done = self.plait(*arguments)
            self.assertEqual(done.returncode, 2, done)
            self.assertRegex(done.stderr, rf"^plait: error: [^\n]*{part}[^\n]*\n$")


class Quarantine(Advice):
    """Real settings that end the job, each named, kept apart and let out; results stay."""

    def setUp(self):
        super().setUp()
        self.command = ["-n", "2", EXCHANGE, "0", "1000", "5"]
        self.earlier = self.folder / "plait-plan.json"
        self.earlier.write_text("{}")

    def quarantined(self):
        return json.loads(self.plait("doctor", "--json").stdout)["quarantine"]

    def check(self, arguments, settings, outcome, limit_s="30"):
        """The job is ended, its setting is named, not tried again, and let out."""
        done, report = self.apply("--time-limit", limit_s, *arguments, command=self.command)
        if report["failure"]["command"] == "before":  # too slow on a busy machine
            shutil.rmtree(self.folder / "applied")
            done, report = self.apply("--time-limit", "30", *arguments, command=self.command)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(report["failure"]["command"], "after")
        self.assertEqual([(entry["settings"], entry["ending"]) for entry in report["quarantined"]],
                         [(settings, outcome)], done.stdout)
        self.assertIn(settings[0], " ".join(done.stdout.split()))
        self.assertEqual(self.earlier.read_text(), "{}", "the plan that was kept before stays")
        entry, = self.quarantined()
        self.assertEqual((entry["settings"], entry["ending"]), (settings, outcome))
        again = self.plait("apply", *arguments, "--", *MPIEXEC, *self.command)
        self.assertEqual(again.returncode, 1)
        self.assertIn("in quarantine", again.stderr)
        self.assertEqual(self.plait("doctor", "--forget", entry["id"]).returncode, 0)
        self.assertEqual(self.quarantined(), [])

    @unittest.skipUnless(KIND == "openmpi", "applies to Open MPI only")
    def test_open_mpi_hangs_where_tcp_is_never_looked_at(self):
        both = "--mca btl tcp,self --mca mpi_event_tick_rate 0"
        self.check(["--option", both], both.replace(" --", "|--").split("|"), "hung", "3")

    @unittest.skipUnless(KIND == "openmpi", "applies to Open MPI only")
    def test_open_mpi_refuses_a_component_that_does_not_exist(self):
        harmless = "OMPI_MCA_mpi_yield_when_idle=1"
        self.check(["--option", "--mca btl doesnotexist", "--set", harmless],
                   ["--mca btl doesnotexist"], "refused")

    @unittest.skipUnless(KIND == "mpich", "applies to MPICH only")
    def test_mpich_waits_for_a_debugger(self):
        self.check(["--set", "MPIR_CVAR_DEBUG_HOLD=1"], ["MPIR_CVAR_DEBUG_HOLD=1"], "hung", "3")

    @unittest.skipUnless(KIND == "mpich", "applies to MPICH only")
    def test_mpich_crashes_with_too_many_interfaces(self):
        self.check(["--set", "MPIR_CVAR_CH4_NUM_VCIS=65", "--set",
                    "MPIR_CVAR_POLLS_BEFORE_YIELD=500"], ["MPIR_CVAR_CH4_NUM_VCIS=65"], "crashed")


class Reorder(Advice):
    """A plan that reorders, on nodes that MPICH makes believe; its "time" is what it cuts."""

    def test_the_winner_is_kept_and_another_program_is_not_mapped(self):
        plan = {"schema": "plait-plan", "schema_version": 1, "name": "reorder", "reason": "",
                "source": "", "ranks": 0, "threads": 0, "places": [], "reorder": "where_asked",
                "environment": {}, "launcher_options": [], "only_for": None,
                "predicted": {"of": "one exchange", "before": {"s": 2, "low_s": 2, "high_s": 2},
                              "after": {"s": 1, "low_s": 1, "high_s": 2}}}
        (self.folder / "plan.json").write_text(json.dumps(plan))
        done, report = self.apply("plan.json", "--repeat", "6", "--time-from", r"cost ([0-9]+)",
                                  command=["-n", "4", EXCHANGE], MPIR_CVAR_NUM_CLIQUES="2")
        self.assertTrue(self.check_outcome(done, report), done.stdout)
        self.assertEqual(report["predicted"], {"value": 2, "low": 1, "high": 2})
        self.assertIn("predicted of one exchange: 2.00 (1.00 to 2.00)", " ".join(
            done.stdout.split()))
        self.assertEqual(report["seen"], "The mapper reordered 1 of 1 topologies.")
        alone = self.plait("apply", "--output", "alone", "plan.json", "--", *MPIEXEC, "-n", "1",
                           EXCHANGE)
        self.assertEqual(alone.returncode, 1)
        self.assertIn("nothing was mapped", alone.stdout)


class OnNodes(Advice):
    """Two emulated nodes."""

    def tearDown(self):
        self.plait("cluster", "down", "--name", f"advise-{os.getpid()}")
        super().tearDown()

    def cluster(self, rate):
        name = f"advise-{os.getpid()}"
        up = self.plait("cluster", "up", "--name", name, "--nodes", "2", "--cores-per-node", "1",
                        "--rate", rate)
        self.assertEqual(up.returncode, 0, up.stderr)
        return name


class Nodes(OnNodes):
    """A mapping for emulated nodes, from a run on them: advised, applied, really in force."""

    def test_a_mapping_is_advised_and_applied(self):
        name = self.cluster("100mbit")
        inside = ["cluster", "run", "--name", name, "--", PLAIT]
        command = ["-n", "4", EXCHANGE, "0", "65536", "5", "2"]
        run = self.plait(*inside, "run", "--quiet", "-o", "run", "--", *MPIEXEC, *command)
        self.assertEqual(run.returncode, 0, run.stderr)
        _, advice = self.advise()
        self.assertNotIn("cores", " ".join(one["name"] for one in advice["plans"]),
                         "the cluster gives the nodes their cores")
        plan = next((one for one in advice["plans"] if one["name"].startswith("map by")), None)
        if plan is None:
            self.assertRegex(" ".join(advice["not_advised"]),
                             "other programs|so a gain is not certain")
            self.assertTrue(advice["undecided"], advice)
            self.skipTest("other programs use too much of the CPUs for a certain gain")
        self.assertIn("the network was not measured", plan["reason"])
        done, report = self.apply(plan["file"], "--repeat", "6", "--time-from",
                                  "elapsed ([0-9.e-]+)", inside=inside, command=command)
        self.check_outcome(done, report)
        self.assertEqual(report["seen"], "All 4 ranks ran where the plan puts them.")
        self.assertIsNotNone(report["predicted"])


class Figure(OnNodes):
    """Points of figures, measured on emulated nodes."""

    @unittest.skipUnless(os.environ["JACOBI"], "plait-jacobi is built for another MPI")
    def test_points_are_measured_beside_the_curves(self):
        done = self.plait("predict", "jacobi", "--figure", "2.5", "--size", "24", "--cluster",
                          self.cluster("1gbit"), "--repeat", "1", "--launcher", MPIEXEC[0],
                          "--measured-machine", "townsend", "--output", "figure.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.fits("predict-1.schema.json", self.folder / "figure.json")
        measured = json.loads((self.folder / "figure.json").read_text())["measured"]
        found = [(point["nodes"], point["mode"], point["runs"], point["cells"])
                 for point in measured["points"]]
        self.assertEqual(found, [(1, "mpi_1ppn", 1, [24] * 3), (2, "mpi_1ppn", 1, [24] * 3)])
        for point in measured["points"]:
            self.assertGreater(point["mlups"]["value"], 0)
            self.assertIsNotNone(point["predicted"])
        # The runs stay, and are read again.
        again = self.plait("predict", "jacobi", "--figure", "2.3", "--measured",
                           measured["folder"], "--measured-machine", "townsend", "--json")
        self.assertEqual(json.loads(again.stdout)["measured"]["points"], measured["points"])

    @unittest.skipUnless(os.environ["JACOBI"] and LU.exists(), "plait-lu was not built")
    def test_hpl_is_measured_beside_the_three_models(self):
        done = self.plait("predict", "hpl", "--machine", "townsend", "--speed", "5,10", "--nodes",
                          "2,4", "--cores", "1", "--size", "300", "--block", "32", "--cluster",
                          self.cluster("1gbit"), "--repeat", "1", "--launcher", MPIEXEC[0],
                          "--output", "hpl.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.fits("predict-hybrid-1.schema.json", self.folder / "hpl.json")
        two, four = json.loads((self.folder / "hpl.json").read_text())["cases"]
        self.assertEqual(sorted(two["measured"]), ["mpi_s", "pc_s", "tc_s"])
        self.assertGreater(min(two["measured"].values()), 0)
        self.assertNotIn("measured", four)

    @unittest.skipUnless(os.environ["JACOBI"] and CG.exists(), "plait-cg was not built")
    def test_cg_is_measured_beside_equation_7(self):
        done = self.plait("predict", "cg", "--machine", "townsend", "--speed", "1,2", "--nodes",
                          "2", "--cores", "1", "--class", "S", "--cluster", self.cluster("1gbit"),
                          "--repeat", "1", "--launcher", MPIEXEC[0], "--output", "cg.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("equation 7 with the measured times", done.stdout)
        self.fits("predict-hybrid-1.schema.json", self.folder / "cg.json")
        measured = json.loads((self.folder / "cg.json").read_text())["cases"][0]["measured"]
        self.assertEqual(measured["equation_7_s"]["low"], 0)
        self.assertLessEqual(measured["equation_7_s"]["high"], measured["pc_messages_s"])


GROUPS = {"advice": [Placement, Errors], "quarantine": [Quarantine], "reorder": [Reorder],
          "nodes": [Nodes, Figure]}


if __name__ == "__main__":
    run_group(GROUPS)
