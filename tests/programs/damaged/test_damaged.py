# SPDX-License-Identifier: BSD-3-Clause
"""Commands on damaged files. Each must end with exit code 2 and one line that names the file, with
at most 1 GiB of memory; environment: PLAIT, SEEDS, MACHINES, OTF2 if built in, SANITIZED.
"""
import ctypes
import ctypes.util
import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import unittest
import zlib

PLAIT = os.environ["PLAIT"]
SEEDS = pathlib.Path(os.environ["SEEDS"])
MACHINES = pathlib.Path(os.environ["MACHINES"])
LIMIT_S = 60  # ends commands that hang; each takes less than one
MEMORY = 1 << 30
CHUNK = "<IIIIii QQ II QQ"  # plait_packed_chunk


def limit_memory():
    if "SANITIZED" not in os.environ:  # sanitizers reserve terabytes
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def compressed(plain):
    """One zstd frame."""
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                      ctypes.c_size_t, ctypes.c_int]
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    stored = ctypes.create_string_buffer(library.ZSTD_compressBound(len(plain)))
    size = library.ZSTD_compress(stored, len(stored), plain, len(plain), 3)
    return stored.raw[:size]


def chunk(kind, items, words, stored):
    """A chunk of a packed trace."""
    rest = struct.pack(CHUNK, 0x4b484350, 0, kind, 0, 500, 0, 2000, 1, items, words, len(stored),
                       0)[8:] + stored
    return struct.pack("<II", 0x4b484350, zlib.crc32(rest)) + rest


def definitions(**changes):
    """A chunk with the definitions of a rank."""
    clock = {"kind": 1, "ticks_per_s": 1e9, "first": [0, 0, 0], "last": [10, 10, 10],
             "at_init": None, "at_finalize": None}
    world = {"name": "MPI_COMM_WORLD", "my_rank": 0, "members": [[0, 2, 1]], "remote_members": [],
             "ordinal": 0, "members_hash": 7}
    of = {"schema": "plait-trace-definitions", "schema_version": 1, "world_rank": 0,
          "world_size": 2, "pid": 1, "host": "a", "complete": True, "mode": "full",
          "checking": False, "init_end_ticks": 0, "clock": clock,
          "functions": [["MPI_Send", False]], "modules": [], "sites": [[]],
          "comms": [world, world], "regions": [], "parallel": [],
          "lost_events": 0, "overwritten_events": 0, "overhead_ns_per_event": 1.0, "problems": []}
    text = json.dumps({**of, **changes}).encode()
    stored = compressed(text)
    return chunk(1, len(text), 0, stored + bytes(max(0, len(text) // 64 + 1 - len(stored))))


HEADER = struct.pack("<QIIiiQ", 0x314b43415054504c, 1, 32, 0, 1, 0)
END = chunk(4, 0, 0, b"")


class Damaged(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plait-damaged-test-")
        self.path = pathlib.Path(self.folder.name)
        self.env = {**os.environ, "XDG_DATA_HOME": self.folder.name,
                    "XDG_STATE_HOME": self.folder.name, "ASAN_OPTIONS": "detect_leaks=0"}

    def tearDown(self):
        self.folder.cleanup()

    def run_plait(self, *arguments):
        return subprocess.run([PLAIT, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, cwd=self.path, timeout=LIMIT_S, env=self.env,
                              check=False, preexec_fn=limit_memory)

    def refused(self, name, *arguments):
        """Runs a command; returns its one line without what it begins with."""
        done = self.run_plait(*arguments)
        self.assertEqual(done.returncode, 2, f"{arguments}: {done.stdout}{done.stderr}")
        self.assertTrue(done.stderr.startswith("plait: error: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(str(name), done.stderr)
        self.assertNotIn("json.exception", done.stderr)
        return done.stderr[len("plait: error: "):-1]

    def file(self, name, content):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def trace(self, *chunks):
        """A run directory with a packed trace."""
        self.file("run/trace/0.ptrace", HEADER + b"".join(chunks) + END)
        return "run"

    # --- JSON -----------------------------------------------------------------------------------

    def json_commands(self, path):
        """Commands that read this file."""
        return [("machine", "show", "--machine", path), ("replay", "--generate",
                 "halo,ranks=2,compute=1ms,faces=8KiB", "--network", path),
                ("where", "--plan", path, "--", "mpiexec", "-n", "2", "true"),
                ("predict", "jacobi", "--machine", path)]

    def test_deeply_nested_json_is_refused(self):
        path = self.file("deep.json", "[" * 200_000)
        for command in self.json_commands(path):
            self.assertIn("nested more than 100 levels deep", self.refused(path, *command))

    def test_json_that_ends_early_is_refused_with_its_line(self):
        path = self.file("cut.json", '{"schema": "plait-machine",\n "schema_version":')
        for command in self.json_commands(path):
            self.assertIn("not JSON (line 2)", self.refused(path, *command))

    def test_a_schema_version_beyond_32_bits_is_another_version(self):
        for schema, command in (("plait-machine", 0), ("plait-network", 1), ("plait-plan", 2)):
            path = self.file("version.json",
                             json.dumps({"schema": schema, "schema_version": 4294967297}))
            line = self.refused(path, *self.json_commands(path)[command])
            self.assertIn(f"has {schema} version 4294967297, but this Plait reads version 1", line)

    def test_numbers_out_of_range_are_refused(self):
        machine = json.loads((MACHINES / "clovertown.json").read_text())
        plan = json.loads((SEEDS / "plan" / "bound").read_text())
        for number in (1e308, 4294967297, -4294967297, 1.5):
            machine["topology"]["cores"][0]["id"] = number
            path = self.file("machine.json", json.dumps(machine))
            self.assertRegex(self.refused(path, "machine", "show", "--machine", path),
                             "damaged: number .* is (out of range|not an integer)")
            plan["threads"] = number
            path = self.file("plan.json", json.dumps(plan))
            self.assertRegex(self.refused(path, "where", "--plan", path, "--", "mpiexec", "true"),
                             "damaged: number .* is (out of range|not an integer)")

    def test_missing_and_unsuitable_values_are_refused_in_plain_english(self):
        machine = json.loads((MACHINES / "clovertown.json").read_text())
        machine["topology"]["caches"] = "none"
        path = self.file("machine.json", json.dumps(machine))
        self.assertIn("damaged: type must be array, but is string",
                      self.refused(path, "machine", "show", "--machine", path))
        del machine["topology"]
        path = self.file("machine.json", json.dumps(machine))
        self.assertIn("damaged: key 'topology' not found",
                      self.refused(path, "machine", "show", "--machine", path))

    def test_a_damaged_run_is_refused(self):
        for content in ("{", "[" * 100_000, '{"schema": "plait-run", "schema_version": 1}',
                        '{"schema": "plait-run", "schema_version": 1, "command": [], '
                        '"launcher": null, "exit_code": 4294967296}'):
            path = self.file("run/run.json", content)
            self.refused("run.json", "report", path.parent)

    # --- records and traces ---------------------------------------------------------------------

    def test_a_trace_whose_counts_exceed_the_file_is_refused(self):
        shapes = struct.pack("<IIIIIiiIQQ", 0, 0, 0, 0, 1, -1, -1, 0, 0, 0)
        frames = compressed(b"\0" * 100) * 16
        run = self.trace(definitions(), chunk(2, 1, 0, compressed(shapes)),
                         chunk(3, 1 << 28, 0, frames), chunk(3, 100, 1 << 28, frames))
        self.assertIn("0.ptrace is damaged in 2 places", self.refused("0.ptrace", "replay", run))

    def test_a_trace_that_decompresses_to_gigabytes_is_refused(self):
        zeros = compressed(b"\0" * (200 << 20))  # 6 kB
        run = self.trace(definitions(), chunk(3, 200 << 20, 200 << 20, zeros * 16))
        self.assertIn("damaged: ", self.refused("0.ptrace", "replay", run))
        run = self.trace(chunk(1, 200 << 20, 0, zeros))
        self.assertIn("its definitions cannot be decompressed",
                      self.refused("0.ptrace", "replay", run))
        run = self.trace(definitions(), chunk(2, (200 << 20) // 48, 0, zeros))
        self.assertIn("its shapes are damaged", self.refused("0.ptrace", "replay", run))

    def test_ranks_that_the_files_do_not_justify_are_refused(self):
        for changes in ({"world_size": 2_000_000_000},
                        {"world_rank": 2_000_000_000},
                        {"comms": [{"name": "", "my_rank": 0, "members": [[0, 1 << 30, 0]],
                                    "remote_members": [], "ordinal": 0, "members_hash": 1}] * 3},
                        {"overhead_ns_per_event": 1e300},
                        {"world_size": 4294967298}):
            run = self.trace(definitions(**changes))
            self.refused("run", "replay", run)

    def test_a_damaged_trace_is_not_replayed(self):
        path = self.file("run/trace/0.ptrace", HEADER + definitions() + END)
        self.assertEqual(self.run_plait("replay", "run").returncode, 0)
        path.write_bytes(HEADER + definitions())  # without its end
        line = self.refused("run", "replay", "run")
        self.assertIn("its trace is damaged: ", line)
        self.assertIn("0.ptrace is cut off", line)

    def test_what_is_left_of_a_damaged_trace_is_exported(self):
        self.file("run/trace/0.ptrace", HEADER + definitions())
        line = self.refused("run", "export", "run", "--to", "chrome", "-o", "out.json")
        self.assertIn("what is left was written", line)
        self.assertTrue((self.path / "out.json").exists())

    def records(self):
        """The two records of a seed; see parts_of() in tests/fuzz."""
        seed = (SEEDS / "record" / "two_ranks").read_bytes()
        first = struct.unpack_from("<I", seed)[0]
        return seed[4:4 + first], seed[4 + first:]

    def test_damaged_records_are_reported(self):
        self.file("run/run.json", (SEEDS / "run_file" / "ended").read_bytes())
        first, second = self.records()
        self.file("run/records/a-1.rec", first)
        self.file("run/records/b-2.rec", second)
        done = self.run_plait("report", "run", "--no-html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.file("run/records/a-1.rec", first[:200])
        self.file("run/records/b-2.rec", b"x" * 5000)
        self.refused("run", "report", "run", "--no-html")

    # --- other tools' files ---------------------------------------------------------------------

    def test_damaged_topologies_are_refused(self):
        text = (MACHINES / "hybrid.xml").read_text()
        for content in ("", "<topology", text[:len(text) // 2], "<topology>" * 100_000,
                        *(seed.read_bytes() for seed in sorted((SEEDS / "hwloc_xml").iterdir())
                          if seed.name.startswith("crash"))):
            path = self.file("topology.xml", content)
            self.refused(path, "machine", "show", "--machine", path)

    def test_an_endless_synthetic_machine_is_refused(self):
        for description in ("1000000", "pack:1000 core:1000", "pack:2 core:99999999999999999999"):
            self.refused(description, "machine", "show", "--machine", "synthetic:" + description)

    @unittest.skipUnless("OTF2" in os.environ, "built without OTF2")
    def test_damaged_archives_are_refused(self):
        for anchor in (b"", b"OTF2" * 100):
            path = self.file("archive/traces.otf2", anchor)
            self.refused(path, "import", path, "-o", "imported")
            self.assertFalse((self.path / "imported").exists())

    def test_graphs_that_claim_too_many_processes_are_refused(self):
        banner = "%%MatrixMarket matrix coordinate real general\n"
        path = self.file("g.mtx", banner + "10000000 10000000 0\n")
        self.assertIn("is not a number of rows",
                      self.refused(path, "map", "--graph", path, "--nodes", "2"))
        path = self.file("g.graph", "9999999 5\n")
        self.refused(path, "map", "--graph", path, "--nodes", "2")


if __name__ == "__main__":
    unittest.main()
