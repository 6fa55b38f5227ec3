# SPDX-License-Identifier: BSD-3-Clause
"""plait run --remap: real ranks move, the program does the same, and Plait says what it did.

Environment: PLAIT, MPIEXEC, PAIRS, SCHEMA. The machine file says that the cores of this machine
share nothing and that messages between them are very slow, so that moving pays."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
MPIEXEC = os.environ["MPIEXEC"]
PAIRS = os.environ["PAIRS"]
SCHEMA = os.environ["SCHEMA"]
LIMIT_S = 240  # per command; it only ends what hangs
PHASE_S = 20  # a phase ends as soon as the ranks were moved
CPUS = sorted(os.sched_getaffinity(0))[:2]


def machine():
    """Two cores with a memory of their own each."""
    def time(microseconds):
        return {"min": microseconds, "median": microseconds, "ci_low": microseconds,
                "ci_high": microseconds, "n": 20, "disturbed": 0}

    result = subprocess.run([PLAIT, "machine", "show", "-m", "synthetic:pack:2 l3:1 core:1 pu:1",
                             "--json"], capture_output=True, check=True)
    file = json.loads(result.stdout)
    topology = file["topology"]
    for core, cpu in zip(topology["cores"], CPUS):
        core["pus"] = [cpu]
    topology["allowed_pus"] = ",".join(map(str, CPUS))
    path = {"mpi_pingping": [], "mpi_multi_pair": [], "mpi_pingpong_off_cache": [],
            "bare_memcpy": [], "id": "node", "name": "same node", "pairs": [[0, 1]],
            "pairs_total": 1,
            "mpi_pingpong": [
                {"bytes": size, "half_round_trip_us": time(us), "bandwidth_gbs": gbs}
                for size, us, gbs in ((0, 5000, 0), (1 << 20, 10000, 0.1048576))]}
    file["measured"] = {"quick": True, "duration_s": 1, "stream": [], "jacobi": [], "paths": [path]}
    return file


@unittest.skipIf(len(CPUS) < 2, "needs two cores")
class Remap(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plait-remap-test-")
        self.path = pathlib.Path(self.folder.name)
        (self.path / "machine.json").write_text(json.dumps(machine()))
        self.hydra = b"HYDRA" in self.command(MPIEXEC, "--version").stdout

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *arguments, **more):
        env = {**os.environ, "OMP_NUM_THREADS": "1", "XDG_DATA_HOME": self.folder.name, **more}
        return subprocess.run([str(argument) for argument in arguments], capture_output=True,
                              cwd=self.path, timeout=LIMIT_S, env=env)

    def unbound(self):
        return [] if self.hydra else ["--oversubscribe", "--bind-to", "none"]

    def run_pairs(self, *arguments, options=None, prefix=(), interval="100ms", **more):
        result = self.command("taskset", "-c", ",".join(map(str, CPUS)), PLAIT, "run", "-o", "r",
                              f"--remap={interval}", "-m", "machine.json", "--", MPIEXEC,
                              *(self.unbound() if options is None else options), "-n", 4, *prefix,
                              PAIRS, *arguments, **more)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, 0, text)
        self.assertIn("0 wrong", result.stdout.decode(), text)
        return result.stdout.decode(), " ".join(text.split())

    def remap_file(self):
        path = self.path / "r" / "remap.json"
        try:
            import jsonschema
            jsonschema.validate(json.loads(path.read_text()),
                                json.loads(pathlib.Path(SCHEMA).read_text()))
        except ImportError:
            pass
        return json.loads(path.read_text())

    def test_partners_are_moved_together_again_when_they_change(self):
        output, text = self.run_pairs(2, PHASE_S)
        self.assertIn("phase 0: moved", output, text)
        self.assertIn("phase 1: moved", output, text)
        moves = [move for move in self.remap_file()["decisions"] if not move["revert"]]
        self.assertGreaterEqual(len(moves), 2, moves)
        self.assertEqual({rank["rank"] for rank in moves[0]["ranks"]}, {0, 1, 2, 3})
        self.assertEqual({rank["from"] for rank in moves[0]["ranks"]}, {"0-1"})
        for move in moves:
            self.assertGreater(move["predicted_gain_s"], move["cost_s"])
        self.assertRegex(text, r"Remapping: 4 ranks .* moved \d+ times .* predicted to save")
        report = self.command(PLAIT, "report", "r", "--no-html").stdout.decode()
        self.assertIn("Remapping: 4 ranks", report)

    def test_a_program_that_becomes_faster_stays(self):
        output, text = self.run_pairs(1, PHASE_S, "stay")
        self.assertIn("phase 0: moved", output, text)
        decisions = self.remap_file()["decisions"]
        self.assertEqual(len(decisions), 1, decisions)
        # Other programs may keep the ranks from two intervals that are alike, or from any message.
        self.assertIn(decisions[0]["effect"], ("faster", "unknown", "another_pattern"))
        profile = json.loads((self.path / "r" / "profile.json").read_text())
        self.assertEqual(profile["remapping"]["decisions"], decisions)

    def test_a_move_that_makes_the_program_slower_is_reverted(self):
        output, text = self.run_pairs(1, PHASE_S, "slow")
        self.assertIn("phase 0: moved", output, text)
        decisions = self.remap_file()["decisions"]
        self.assertGreaterEqual(len(decisions), 2, decisions)
        self.assertEqual(decisions[0]["effect"], "not_faster")
        self.assertLess(decisions[0]["speed"], 1)
        self.assertTrue(decisions[1]["revert"])
        self.assertEqual({rank["to"] for rank in decisions[1]["ranks"]}, {"0-1"})

    def test_ranks_that_are_all_bound_to_one_core_stay(self):
        _, text = self.run_pairs(1, 1, prefix=("taskset", "-c", CPUS[0]))
        self.assertIn("all ranks are bound to core 0; leave the ranks unbound", text)
        self.assertIn("-bind-to none", text)
        self.assertEqual(self.remap_file()["decisions"], [])

    def test_threads_that_are_bound_to_cores_stay(self):
        _, text = self.run_pairs(1, 1, "pinned")
        # The second if the mapper has looked at the ranks before they bound their threads.
        self.assertRegex(text, r"rank \d (binds its threads to cores of their own|was bound to "
                               r"other cores \(by itself, or from outside\)); start it with "
                               "OMP_PROC_BIND=false")

    def test_a_program_can_ask_for_a_decision(self):
        output, text = self.run_pairs(1, PHASE_S, "ask", interval="1000s")
        self.assertIn("phase 0: moved", output, text)
        decisions = self.remap_file()["decisions"]
        self.assertTrue(decisions[0]["asked"])
        self.assertIn("asked, cores: rank 0 from 0-1", text)

    def test_an_interval_that_is_too_short_is_refused(self):
        result = self.command(PLAIT, "run", "--remap=1ms", "--", MPIEXEC, "-n", 4, PAIRS)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"plait: error: 1ms: too short an interval; give 100ms or more",
                      result.stderr)


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1)
