# SPDX-License-Identifier: BSD-3-Clause
"""plait export and import on traces of real programs, opened by other tools.

Environment: PLAIT, MPIEXEC, PROGRAM (messages of every kind, four ranks); OPENMPI for Open MPI;
SMPIRUN, OTF2_PRINT and FOREIGN_OTF2 if they are installed. Uses the Python packages pyarrow and
perfetto if they are installed.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

try:
    import pyarrow.parquet
except ImportError:
    pyarrow = None
try:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
except ImportError:
    Trace = None

PLAIT = os.environ["PLAIT"]
RANKS = 4
LIMIT_S = 150  # per command; ends commands that hang


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plait-export-test-")
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "said").mkdir()
        options = ["--oversubscribe", "--bind-to", "none"] if "OPENMPI" in os.environ else []
        cls.run_command(PLAIT, "run", "--trace", "-o", "run", "--", os.environ["MPIEXEC"], *options,
                        "-n", RANKS, os.environ["PROGRAM"], cls.path / "said")
        cls.export("json", "all.json")
        cls.all = json.loads((cls.path / "all.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_command(cls, *arguments, code=0):
        done = subprocess.run([str(argument) for argument in arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, cwd=cls.path, timeout=LIMIT_S,
                              env={**os.environ, "LC_ALL": "C", "XDG_DATA_HOME": cls.folder.name},
                              check=False)
        if done.returncode != code:
            raise AssertionError(f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    @classmethod
    def export(cls, to, output, *arguments, run="run", code=0):
        return cls.run_command(PLAIT, "export", run, "--to", to, "-o", output, *arguments,
                               code=code)

    def events(self):
        """Events of the JSON export: rank, begin, end, shape, bytes."""
        for rank in self.all["ranks"]:
            for stream in rank["streams"]:
                for event in stream["events"]:
                    yield rank["rank"], *event

    def functions(self):
        counts = collections.Counter()
        for _, _, _, shape, _ in self.events():
            function = self.all["shapes"][shape]["function"]
            if function is not None:
                counts[self.all["functions"][function]] += 1
        return counts

    def test_json_has_the_sender_of_each_message(self):
        said = sum(len(file.read_text().splitlines()) for file in (self.path / "said").iterdir())
        self.assertGreater(said, 0)
        self.assertGreaterEqual(len(self.all["messages"]), said)
        self.assertEqual(len(self.all["ranks"]), RANKS)

    @unittest.skipIf(pyarrow is None, "pyarrow is not installed")
    def test_parquet_is_read_by_pyarrow_and_its_sums_agree(self):
        self.export("parquet", "tables")
        events = pyarrow.parquet.read_table(self.path / "tables/events.parquet").to_pydict()
        expected = sorted(self.events())
        rows = zip(events["rank"], events["begin_ns"], events["end_ns"], events["bytes"])
        self.assertEqual(sorted(rows), sorted((r, b, e, n) for r, b, e, _, n in expected))
        counts = collections.Counter(events["name"])
        for function, count in self.functions().items():
            self.assertEqual(counts[function], count, function)
        columns = self.all["message_columns"]
        messages = pyarrow.parquet.read_table(self.path / "tables/messages.parquet").to_pydict()
        rows = sorted(zip(*(messages[name] for name in columns)))
        self.assertEqual(rows, sorted(tuple(row) for row in self.all["messages"]))

    @unittest.skipIf(Trace is None, "perfetto is not installed")
    def test_perfetto_parses_the_protobuf_and_its_slices_nest(self):
        self.export("perfetto", "trace.pftrace")
        trace = Trace()
        trace.ParseFromString((self.path / "trace.pftrace").read_bytes())
        names, open_slices, slices = {}, collections.defaultdict(list), collections.Counter()
        flows, last = collections.defaultdict(list), collections.defaultdict(int)
        for packet in trace.packet:
            for name in packet.interned_data.event_names:
                names[name.iid] = name.name
            if not packet.HasField("track_event"):
                continue
            event, track = packet.track_event, packet.track_event.track_uuid
            self.assertGreaterEqual(packet.timestamp, last[track])
            last[track] = packet.timestamp
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                slices[names[event.name_iid]] += 1
                open_slices[track].append(event.name_iid)
            elif event.type == TrackEvent.TYPE_SLICE_END:
                open_slices[track].pop()
            for flow in event.flow_ids:
                flows[flow].append((packet.timestamp, "begin"))
            for flow in event.terminating_flow_ids:
                flows[flow].append((packet.timestamp, "end"))
        self.assertFalse(any(open_slices.values()))
        for function, count in self.functions().items():
            self.assertEqual(slices[function], count, function)
        self.assertEqual(sum(slices.values()), sum(1 for _ in self.events()))
        received = [row for row in self.all["messages"] if row[-1] >= 0]
        self.assertEqual(len(flows), len(received))
        for ends in flows.values():
            self.assertEqual([what for _, what in sorted(ends)], ["begin", "end"])

    def test_chrome_is_json_of_a_window_and_some_ranks(self):
        begin = min(event[1] for event in self.events())
        end = max(event[2] for event in self.events())
        middle = (begin + end) // 2
        self.export("chrome", "window.json", "--until", f"{middle}ns", "--ranks", "0,2-3")
        window = json.loads((self.path / "window.json").read_text())["traceEvents"]
        slices = [event for event in window if event["ph"] == "X"]
        self.assertEqual(len(slices), sum(1 for rank, first, *_ in self.events()
                                          if rank != 1 and first <= middle))
        refused = self.export("chrome", "small.json", "--limit", "10kB", code=2)
        self.assertIn("--to perfetto", refused.stderr)
        self.assertFalse((self.path / "small.json").exists())

    @unittest.skipIf("SMPIRUN" not in os.environ, "smpirun is not installed")
    def test_simgrid_takes_the_time_of_the_ideal_network(self):
        self.export("simgrid", "simgrid")
        platform = self.path / "simgrid/platform.xml"
        # Slower hosts give the times of short runs six digits.
        platform.write_text(platform.read_text().replace('speed="1Gf"', 'speed="1Mf"'))
        done = self.run_command(
            os.environ["SMPIRUN"], "-np", RANKS, "-hostfile", "simgrid/hosts.txt", "-platform",
            platform, "-replay", "simgrid/trace.txt",
            "--cfg=smpi/send-is-detached-thresh:2147483647",
            "--cfg=smpi/bcast:flattree", "--cfg=smpi/reduce:flat_tree")
        found = re.search(r"Simulation time (\S+)", done.stdout + done.stderr)
        replay = json.loads(self.run_command(PLAIT, "replay", "run", "--network", "ideal",
                                             "--json").stdout)
        seconds = replay["networks"][0]["time_s"]
        print(f"ideal network: {seconds:.9f} s, SimGrid {float(found[1]) / 1000:.9f} s")
        self.assertAlmostEqual(float(found[1]) / 1000 / seconds, 1, delta=5e-7)

    @unittest.skipIf("OTF2_PRINT" not in os.environ, "OTF2 is not installed")
    def test_otf2_is_printed_and_imported_unchanged(self):
        self.export("otf2", "otf2")
        printed = self.run_command(os.environ["OTF2_PRINT"], "otf2/traces.otf2").stdout
        counts = collections.Counter(line.split(" ")[0] for line in printed.splitlines())
        self.assertEqual(counts["ENTER"], sum(1 for _ in self.events()))
        self.assertEqual(counts["LEAVE"], counts["ENTER"])
        entered = collections.Counter(re.findall(r'^ENTER .*Region: "([^"]+)"', printed, re.M))
        for function, count in self.functions().items():
            self.assertEqual(entered[function], count, function)
        self.run_command(PLAIT, "import", "otf2/traces.otf2", "-o", "again")
        self.export("json", "again.json", run="again")
        again = json.loads((self.path / "again.json").read_text())
        self.assertEqual(sum(len(stream["events"]) for rank in again["ranks"]
                             for stream in rank["streams"]), counts["ENTER"])
        rows = [sorted(row[:4] for row in one["messages"]) for one in (self.all, again)]
        self.assertEqual(rows[0], rows[1])
        for run in ("run", "again"):
            self.run_command(PLAIT, "replay", run, "--output", run + "-replay.json")
        replays = [json.loads((self.path / f"{run}-replay.json").read_text())
                   for run in ("run", "again")]
        times = [replay["networks"][0]["time_s"] for replay in replays]
        # OTF2 has no place for waiting for a CPU: an imported trace has it as computation.
        self.assertGreater(times[1], 0.98 * times[0])
        self.assertLess(times[1], 1.02 * max(times[0], replays[0]["recorded_s"]))

    @unittest.skipIf("FOREIGN_OTF2" not in os.environ, "OTF2 is not installed")
    def test_a_foreign_archive_is_imported_and_replayed(self):
        self.run_command(os.environ["FOREIGN_OTF2"], self.path / "foreign")
        done = self.run_command(PLAIT, "import", "foreign/traces.otf2")
        self.assertIn("plait-runs/imported-foreign", done.stdout)
        done = self.run_command(PLAIT, "replay", "plait-runs/imported-foreign", "--json")
        replay = json.loads(done.stdout)
        self.assertAlmostEqual(replay["networks"][0]["time_s"], 2.0, places=9)
        self.assertEqual(replay["networks"][0]["messages"], 2)
        twice = self.run_command(PLAIT, "import", "foreign/traces.otf2", code=2)
        self.assertIn("--force", twice.stderr)

    def test_without_the_helper_otf2_is_refused_with_a_remedy(self):
        (self.path / "bare/bin").mkdir(parents=True)
        bare = subprocess.run([PLAIT, "export", "run", "--to", "otf2"], capture_output=True,
                              text=True, cwd=self.path, timeout=LIMIT_S, check=False,
                              env={**os.environ, "PLAIT_PREFIX": str(self.path / "bare")})
        self.assertEqual(bare.returncode, 1)
        self.assertIn("libopen-trace-format2-dev", bare.stderr)

    def test_errors_are_one_line(self):
        for arguments, part in ((("--to", "vampir"), "choose one of otf2"),
                            (("--to", "simgrid", "--ranks", "0"), "leave out"),
                            (("--to", "json", "--ranks", "9"), "no rank 9"),
                            (("--to", "json", "-o", "all.json"), "--force"),
                            (("--to", "json", "--from", "2s", "--until", "1s"), "before")):
            done = self.run_command(PLAIT, "export", "run", *arguments, code=2)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(part, done.stderr)
        none = self.run_command(PLAIT, "export", "nowhere", "--to", "json", code=2)
        self.assertIn("plait run --trace", none.stderr)


if __name__ == "__main__":
    unittest.main()
