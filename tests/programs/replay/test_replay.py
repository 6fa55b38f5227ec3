# SPDX-License-Identifier: BSD-3-Clause
"""plait replay on traces of real programs; environment: PLAIT, MPIEXEC, EXCHANGE, JACOBI, SCHEMA.

The test prints how close a replay comes to the recorded time but does not judge it, because
machines that run tests are busy.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from small_caches import small_caches  # noqa: E402

PLAIT = os.environ["PLAIT"]
MPIEXEC = os.environ["MPIEXEC"]
EXCHANGE = os.environ["EXCHANGE"]
JACOBI = os.environ.get("JACOBI", "")
SCHEMA = pathlib.Path(os.environ["SCHEMA"])
OPTIONS = ["--oversubscribe", "--bind-to", "none"] if "OPENMPI" in os.environ else []
ITERATIONS = 20
LIMIT_S = 150  # per command; ends commands that hang


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plait-replay-test-")
        cls.path = pathlib.Path(cls.folder.name)
        cls.env = {**os.environ, "OMP_NUM_THREADS": "1", "XDG_DATA_HOME": cls.folder.name}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def command(self, *arguments, code=0, environment=()):
        done = subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, cwd=self.path, timeout=LIMIT_S,
                              env={**self.env, **dict(environment)}, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def traced(self, ranks, *program):
        """A run with a trace, created once for all tests."""
        name = f"{pathlib.Path(program[0]).name}-{ranks}"
        if not (self.path / name).exists():
            self.command(PLAIT, "run", "--trace", "-o", name, "--", MPIEXEC, *OPTIONS, "-n", ranks,
                         *program)
        return name

    def exchange(self, ranks):
        return self.traced(ranks, EXCHANGE, ITERATIONS, 400000, 100000)

    def replay(self, *arguments):
        return json.loads(self.command(PLAIT, "replay", *arguments, "--json").stdout)

    def test_every_message_is_replayed_and_all_ranks_end(self):
        for ranks in (2, 4):
            result = self.replay(self.exchange(ranks), "--network", "ideal", "--network",
                                 "ideal:32KiB")
            for network in result["networks"]:
                self.assertEqual(network["messages"], ITERATIONS * (2 * ranks + ranks - 1))
                self.assertEqual(network["stuck"], [])
                self.assertEqual(len(network["ranks"]), ranks)
                self.assertLessEqual(network["time_s"], result["recorded_s"])
            self.assertEqual(result["notes"], [])

    def test_polls_are_waiting_and_not_work(self):
        result = self.replay(self.exchange(2))
        for rank in result["networks"][0]["ranks"]:
            parts = rank["compute_s"] + rank["waiting_s"] + rank["overhead_s"]
            self.assertLessEqual(parts, rank["end_s"] * (1 + 1e-9))
            self.assertLess(rank["compute_s"], result["recorded_s"])

    def test_a_slower_network_takes_longer(self):
        run = self.exchange(2)
        networks = ["latency=1us,bandwidth=10GB/s", "latency=100us,bandwidth=1GB/s",
                    "latency=10ms,bandwidth=1GB/s"]
        result = self.replay(run, *(word for spec in networks for word in ("--network", spec)))
        times = [network["time_s"] for network in result["networks"]]
        self.assertEqual(times, sorted(times))
        # Each iteration has at least four consecutive messages.
        self.assertGreater(times[2], ITERATIONS * 4 * 10e-3)
        for network in result["networks"]:
            self.assertLessEqual(network["low_s"], network["time_s"])
            self.assertLessEqual(network["time_s"], network["high_s"])

    def test_another_placement_changes_the_time(self):
        run = self.exchange(4)
        spec = "latency=1ms,bandwidth=10GB/s,node.latency=1us"
        one = self.replay(run, "--network", spec)
        two = self.replay(run, "--network", spec, "--placement", "nodes=2")
        mapped = self.replay(run, "--network", spec, "--placement", "0:a,2:a,1:b,3:b")
        self.assertEqual((one["nodes"], two["nodes"], mapped["nodes"]), (1, 2, 2))
        self.assertGreater(two["networks"][0]["time_s"], one["networks"][0]["time_s"])
        self.command(PLAIT, "replay", run, "--mapping", "3,2,1,0")

    def test_two_replays_agree(self):
        run = self.exchange(4)
        arguments = (run, "--network", "latency=5us,bandwidth=1GB/s,eager=4KiB")
        self.assertEqual(self.replay(*arguments)["networks"], self.replay(*arguments)["networks"])

    def test_the_measured_machine_meets_the_recorded_time(self):
        self.command(PLAIT, "measure", "--budget", "2", "--mpi", MPIEXEC, "-o", "machine.json",
                     environment=small_caches(self.path))
        programs = {"exchange": (EXCHANGE, ITERATIONS, 4000000, 100000)}
        if JACOBI:
            programs["jacobi"] = (JACOBI, "--size", "96", "--steps", "30", "--schedule", "blocking")
        for name, program in programs.items():
            run = f"{name}-measured"
            self.command(PLAIT, "run", "--trace", "-o", run, "--", MPIEXEC, *OPTIONS, "-n", 2,
                         *program)
            result = self.replay(run, "--network", "machine.json")
            network = result["networks"][0]
            self.assertEqual(network["stuck"], [])
            found = network["time_s"] / result["recorded_s"] - 1
            verdict = "within" if abs(found) <= 0.1 else "not within"
            print(f"{name}: recorded {result['recorded_s']:.4f} s, "
                  f"replayed {network['time_s']:.4f} s, {100 * found:+.1f} %, {verdict} 10 %; "
                  f"interval {network['low_s']:.4f} to {network['high_s']:.4f} s; "
                  f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")

    def test_the_text_fits_a_terminal_and_the_json_its_schema(self):
        run = self.exchange(4)
        done = self.command(PLAIT, "replay", run, "--network", "ideal:32KiB", "--network",
                            "latency=1us,bandwidth=10GB/s,progress=hardware,sharing=fair")
        self.assertIn("32 KiB wait for their receive", " ".join(done.stdout.split()))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        try:
            import jsonschema
        except ImportError:
            self.skipTest("the Python package jsonschema is not installed")
        jsonschema.validate(self.replay(run), json.loads(SCHEMA.read_text(encoding="utf-8")))

    def test_a_replay_is_a_run_that_other_commands_read(self):
        run = self.exchange(2)
        self.command(PLAIT, "replay", run, "--write-run", "ideal")
        self.command(PLAIT, "replay", run, "--write-run", "ideal", code=2)  # it exists
        report = [PLAIT, "report", "--json", "--no-html"]
        before, after = (json.loads(self.command(*report, name).stdout)
                         for name in (run, "ideal"))
        counts = {call["name"]: (call["count"], call["bytes"]) for call in before["calls"]}
        self.assertEqual({call["name"]: (call["count"], call["bytes"]) for call in after["calls"]},
                         counts)
        times = self.replay(run)["networks"][0]
        again = self.replay("ideal")["networks"][0]
        # Polls that are closer to each other than recorded are one loop, in which up to a sixteenth
        # of the time may be interruptions.
        self.assertAlmostEqual(again["time_s"], times["time_s"], delta=times["time_s"] / 16)
        for rank, of in zip(after["ranks"], times["ranks"]):
            self.assertLess(rank["mpi_s"], of["waiting_s"] + of["overhead_s"] + 0.01)
        compared = json.loads(self.command(PLAIT, "compare", run, "ideal", "--json").stdout)
        self.assertEqual({call["a_count"] - call["b_count"] for call in compared["calls"]}, {0})
        self.assertTrue(compared["phases"])
        self.command(PLAIT, "export", "ideal", "--to", "chrome")
        self.assertTrue((self.path / "ideal" / "export" / "chrome.json").is_file())
        # The profile is made again from the trace.
        (self.path / "ideal" / "profile.json").unlink()
        self.assertEqual(json.loads(self.command(PLAIT, "report", "ideal", "--json",
                                                 "--no-html").stdout)["ranks"], after["ranks"])

    def test_phases_of_other_numbers_of_ranks_match_by_their_calls(self):
        compared = json.loads(self.command(PLAIT, "compare", self.exchange(2), self.exchange(3),
                                           "--json").stdout)
        self.assertIn("ranks: 2 in A, 3 in B", compared["unfair"])
        loops = [phase for phase in compared["phases"]
                 if phase["a"] and phase["a"]["repetitions"] == ITERATIONS]
        self.assertEqual([phase["aligned_by"] for phase in loops], ["calls"], compared["phases"])
        self.assertEqual(loops[0]["b"]["ranks"], 3)

    def test_a_replay_is_written_on_one_network(self):
        done = self.command(PLAIT, "replay", self.exchange(2), "--network", "ideal", "--network",
                            "ideal:32KiB", "--write-run", "two", code=2)
        self.assertIn("takes one network", done.stderr)

    def test_moves_on_another_machine_are_decided_by_the_trace(self):
        run = self.exchange(4)
        arguments = (run, "--remap", "synthetic:package:2 l3:1 core:2 pu:1", "--interval", "100ms")
        lines = self.command(PLAIT, "replay", *arguments).stdout.splitlines()
        self.assertIn("plait run --remap", " ".join(lines))
        self.assertLessEqual(max(map(len, lines)), 80)
        result = self.replay(*arguments)
        self.assertEqual([node["ranks"] for node in result["nodes"]], [4])
        self.assertLess(result["saved_s"], result["recorded_s"])
        try:
            import jsonschema
        except ImportError:
            self.skipTest("the Python package jsonschema is not installed")
        schema = SCHEMA.with_name("replay-remap-1.schema.json")
        jsonschema.validate(result, json.loads(schema.read_text(encoding="utf-8")))

    def test_errors_name_what_was_given(self):
        run = self.exchange(2)
        for arguments, part in (((run, "--network", "latency=2"), "2: not a time"),
                                 ((run, "--network", "speed=1"), "speed: unknown setting"),
                                 ((run, "--placement", "0:a"), "rank 1 has no node"),
                                 ((run, "--mapping", "0,0"), "listed twice"),
                                 ((run, "--generate", "halo,ranks=2"), "cannot be used together"),
                                 ((run, "--remap", "no-such-machine"), "no-such-machine"),
                                 ((run, "--remap", "synthetic:core:2 pu:1", "--interval", "1ms"),
                                  "too short an interval"),
                                 (("no-such-run",), "no-such-run"),
                                 (("--generate", "halo,ranks=0"), "ranks=0")):
            done = self.command(PLAIT, "replay", *arguments, code=2)
            self.assertIn(part, done.stderr)
            self.assertTrue(done.stderr.startswith("plait: error: "), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
