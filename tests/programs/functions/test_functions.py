# SPDX-License-Identifier: BSD-3-Clause
"""Instrumented functions, Caliper annotations and NVTX ranges, on two ranks.

Environment: PLAIT, MPIEXEC; CXX, CLANG, FORTRAN, ANNOTATED: the programs; absent ones are skipped.
"""
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
MPIEXEC = shlex.split(os.environ["MPIEXEC"])
LIMIT_S = 150  # per command; ends what hangs


class Functions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plait-functions-test-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def plait(self, *arguments):
        env = {**os.environ, "XDG_DATA_HOME": str(self.path), "LC_ALL": "C.UTF-8"}
        env.pop("NVTX_INJECTION64_PATH", None)
        done = subprocess.run([PLAIT, *arguments], capture_output=True, cwd=self.path, text=True,
                              timeout=LIMIT_S, env=env, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def record(self, variable, *options):
        if not os.environ.get(variable):
            self.skipTest(f"no {variable} for this MPI")
        self.said = self.plait("run", "-o", "run", *options, "--", *MPIEXEC, "-n", "2",
                               os.environ[variable])
        self.profile = json.loads((self.path / "run/profile.json").read_text())
        self.assertEqual(len(self.profile["ranks"]), 2)
        return {row["name"]: row for row in self.profile.get("functions", [])}

    def by_rank(self, row):
        counts = [0, 0]
        for of in row["by_thread"]:
            counts[of["rank"]] += of["calls"]
        return counts

    def test_calls_are_counted_by_rank_and_thread(self):
        self.check_counts(self.record("CXX", "--functions", "*"), in_team=2)

    def test_calls_are_counted_with_clang(self):
        # Without OpenMP.
        self.check_counts(self.record("CLANG", "--functions", "*"), in_team=1)

    def check_counts(self, rows, in_team):
        calls = {name: self.by_rank(row) for name, row in rows.items()}
        self.assertEqual(calls["mesh::Mesh::assemble(int)"], [3, 6])
        self.assertEqual(calls["double mesh::element<double>(double)"], [30, 60])
        self.assertEqual(calls["recursive(int)"], [5001, 5001])
        self.assertEqual(calls["in_handler(int)"], [10, 10])
        self.assertEqual(calls["in_team()"], [in_team, in_team])
        self.assertEqual(calls["exits()"], [1, 1])
        # The child has no record of its own, and leaves that of its parent alone.
        self.assertEqual(calls["around_fork()"], [1, 1])
        self.assertEqual(calls["on_thread()"], [30, 30])
        self.assertEqual(calls["leaves_thread()"], [10, 10])
        # Threads that run one after the other share one row.
        self.assertLessEqual(rows["on_thread()"]["threads"], 6)
        assemble = rows["mesh::Mesh::assemble(int)"]
        self.assertEqual((assemble["ranks"], pathlib.Path(assemble["file"]).name),
                         (2, "functions.cpp"))
        self.assertIn("mesh::Mesh::assemble", self.said.stderr)

    def test_times_nest_after_exceptions_jumps_and_recursion(self):
        self.check_times(self.record("CXX", "--functions", "*"))

    def test_times_nest_with_clang(self):
        self.check_times(self.record("CLANG", "--functions", "*"))

    def check_times(self, rows):
        for row in rows.values():
            self.assertGreaterEqual(row["inclusive_s"], row["exclusive_s"] * 0.999, row["name"])
        calls = {name: self.by_rank(row) for name, row in rows.items()}
        self.assertEqual(calls["throws(int)"], [3, 3])
        self.assertEqual(calls["jumps(int)"], [8, 8])
        self.assertEqual(calls["after_jump()"], [2, 2])
        # What was left by a jump or an exception ended no later than its caller.
        for inner, outer in (("throws(int)", "catches()"), ("jumps(int)", "is_jumped_to()"),
                             ("double mesh::element<double>(double)",
                              "mesh::Mesh::assemble(int)")):
            self.assertLessEqual(rows[inner]["inclusive_s"], rows[outer]["inclusive_s"] * 1.001)
        for outer in ("catches()", "is_jumped_to()", "recursive(int)"):
            self.assertLessEqual(rows[outer]["inclusive_s"], rows["main"]["inclusive_s"] * 1.001)

    def test_a_pattern_chooses_and_excludes(self):
        rows = self.record("CXX", "--functions", "Mesh::*,recursive,!Mesh::size")
        self.assertEqual(set(rows), {"mesh::Mesh::assemble(int)", "recursive(int)"})
        # Functions that are not chosen are part of their caller.
        assemble = rows["mesh::Mesh::assemble(int)"]
        self.assertAlmostEqual(assemble["inclusive_s"], assemble["exclusive_s"], delta=1e-9)

    def test_short_and_frequent_functions_are_switched_off(self):
        self.check_switch(self.record("CXX", "--functions", "tiny,recursive"))

    def test_short_functions_are_switched_off_with_clang(self):
        self.check_switch(self.record("CLANG", "--functions", "tiny,recursive"))

    def check_switch(self, rows):
        tiny = rows["tiny()"]
        self.assertTrue(tiny["switched_off"])
        for calls in self.by_rank(tiny):
            self.assertLess(calls, 3_000_000)
            self.assertEqual(calls % 65536, 0)
        self.assertFalse(rows["recursive(int)"]["switched_off"])
        self.assertIn("switched off", self.said.stderr)

    def test_fortran_names_are_as_written(self):
        rows = self.record("FORTRAN", "--functions", "heat::*,exchange")
        calls = {name: self.by_rank(row) for name, row in rows.items()}
        self.assertEqual(calls, {"heat::relax": [4, 4], "heat::add": [100, 100],
                                 "exchange": [4, 4]})

    def test_a_program_without_instrumentation_is_told_so(self):  # lint-words: allow told
        rows = self.record("ANNOTATED", "--functions", "no_such_function")
        self.assertEqual(rows, {})
        self.assertTrue(any("-finstrument-functions" in note for note in self.profile["notes"]))

    def test_the_page_has_functions_and_samples_with_their_source(self):
        self.record("CXX", "--functions", "recursive")
        here = pathlib.Path(__file__).parent
        samples = json.loads((here / "../../data/samples/two_ranks.json").read_text())
        for function in samples["functions"]:
            function["file"] = str(here / "functions.cpp")
        (self.path / "run/samples.json").write_text(json.dumps(samples))
        self.plait("report", "run", "--html", "page.html")
        page = self.path / "page.html"
        if not page.exists():
            self.skipTest("the page's template was not built")
        data = page.read_text().split('<script id="plait-data" type="application/json">')[1]
        data = json.loads(data.split("</script>")[0])
        self.assertEqual(data["samples"]["counts"], samples["counts"])
        self.assertEqual(data["profile"]["functions"][0]["name"], "recursive(int)")
        lines = {part["first_line"] + i: line for part in data["sources"]
                 for i, line in enumerate(part["lines"])}
        source = (here / "functions.cpp").read_text().splitlines()
        self.assertEqual(lines[21], source[20])
        # Damaged samples do not prevent the page, which says so.
        (self.path / "run/samples.json").write_text("{")
        self.plait("report", "run", "--html", "damaged.html")
        self.assertIn('"samples":{}', (self.path / "damaged.html").read_text())

    def test_without_the_option_nothing_is_recorded(self):
        self.assertEqual(self.record("CXX"), {})
        self.assertEqual(list((self.path / "run/records").glob("*.functions")), [])

    def test_caliper_annotations_and_nvtx_ranges_are_regions(self):
        self.record("ANNOTATED")
        counts = {row["name"]: row["count"] for row in self.profile["regions"]}
        self.assertEqual(counts, {"outer": 6, "outer/phase": 6, "main": 2, "step": 2,
                                  "step/inner": 2, "by attributes": 2, "registered": 2, "wide": 2,
                                  "use_scopes": 2, "use_scopes/scope": 4})
        out = (self.path / "run/stdout.txt").read_text()
        self.assertEqual(out.count("levels 0 1 1 0, then -1\n"), 2)
        # Caliper and another profiler of functions have their calls, too.
        self.assertEqual(out.count("caliper 22, other profiler 11\n"), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
