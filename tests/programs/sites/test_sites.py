# SPDX-License-Identifier: BSD-3-Clause
"""Names of call sites in wrappers: in profile.json, on the page and in exports.

Environment: PLAIT, MPIEXEC, and C, CXX, FORTRAN, SCRIPT: programs on two ranks; those that are
absent are skipped. MPI4PY: the Python that runs SCRIPT.
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


class Sites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plait-sites-test-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def plait(self, *arguments):
        env = {**os.environ, "XDG_DATA_HOME": str(self.path), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([PLAIT, *arguments], capture_output=True, cwd=self.path, text=True,
                              timeout=LIMIT_S, env=env, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def record(self, *names):
        """Runs the program that the variables name, with a trace."""
        absent = [name for name in names if not os.environ.get(name)]
        if absent:
            self.skipTest(f"no {absent[0]} for this MPI")
        program = [os.environ[name] for name in names]
        self.said = self.plait("run", "--trace", "-o", "run", "--", *MPIEXEC, "-n", "2", *program)
        self.profile = json.loads((self.path / "run/profile.json").read_text())
        self.assertEqual(len(self.profile["ranks"]), 2)

    def counts(self, call):
        """The calls of a function by the names of their sites."""
        counts = {}
        for site in self.profile["sites"]:
            if site["call"] in (call, call + "_c"):  # mpi4py's choice
                counts[site["name"]] = counts.get(site["name"], 0) + site["count"]
        return counts

    def tree(self, call):
        roots = [tree for tree in self.profile["caller_tree"] if tree["frames"][0] == call]
        self.assertEqual(len(roots), 1)
        return roots[0]

    def check_exports(self):
        """Exports, the analysis and the page have the names of the profile."""
        names = {site["name"] for site in self.profile["sites"]}
        self.plait("export", "run", "--to", "chrome", "-o", "chrome.json")
        chrome = json.loads((self.path / "chrome.json").read_text())["traceEvents"]
        shown = {event["args"]["site"] for event in chrome if "site" in event.get("args", {})}
        self.assertLessEqual(shown, names)
        self.plait("export", "run", "--to", "json", "-o", "trace.json")
        paths = json.loads((self.path / "trace.json").read_text())["call_paths"]
        self.assertLessEqual({path["name"] for path in paths if path["name"]}, names)
        analysis = json.loads((self.path / "run/analysis.json").read_text())
        self.assertLessEqual({wait["site"] for wait in analysis["waits"] if wait["site"]}, names)
        page = self.path / "run/report.html"
        if page.exists():  # absent in builds without Node.js
            self.assertIn('"caller_tree":', page.read_text())
        return chrome

    def test_c(self):
        self.record("C")
        self.assertEqual(self.counts("MPI_Waitall"),
                         {"exchange_rows > ... > comm_wait (wrappers.c:6)": 6,
                          "matvec > ... > comm_wait (wrappers.c:6)": 10})
        self.assertEqual(self.counts("MPI_Isend").keys(),
                         {"exchange_rows > exchange (wrappers.c:15)",
                          "matvec > exchange (wrappers.c:15)"})
        for site in self.profile["sites"]:
            if site["call"] == "MPI_Waitall":
                self.assertIn(site["frames"][site["caller"]]["name"], ("exchange_rows", "matvec"))
        root = self.tree("MPI_Waitall")
        self.assertEqual(root["frames"], ["MPI_Waitall", "comm_wait (wrappers.c:6)",
                                          "exchange (wrappers.c:16)"])
        self.assertEqual({caller["frames"][0]: caller["count"] for caller in root["callers"]},
                         {"exchange_rows (wrappers.c:21)": 6, "matvec (wrappers.c:26)": 10})
        chrome = self.check_exports()
        waits = [event["args"] for event in chrome if event.get("name") == "MPI_Waitall"]
        self.assertEqual(len(waits), 16)
        self.assertIn("comm_wait (wrappers.c:6) < exchange (wrappers.c:16) < ",
                      waits[0]["call_path"])

    def test_cxx(self):
        self.record("CXX")
        self.assertEqual(self.counts("MPI_Allreduce"),
                         {"step > comm::Reducer::all (wrappers.cpp:16)": 6,
                          "norm > comm::Reducer::all (wrappers.cpp:16)": 2})
        frame = self.profile["sites"][0]["frames"][0]
        for site in self.profile["sites"]:
            if site["call"] == "MPI_Allreduce":
                frame = site["frames"][0]
        self.assertIn("comm::Reducer<double, 4>::all(std::vector<double", frame["function"])
        self.assertEqual(frame["name"], "comm::Reducer::all")
        # The constructors of Open MPI's C++ bindings call it; the program does not.
        self.assertEqual({call["name"] for call in self.profile["calls"]},
                         {"MPI_Init", "MPI_Allreduce", "MPI_Finalize"})
        self.check_exports()

    def test_fortran(self):
        self.record("FORTRAN")
        self.assertEqual(self.counts("MPI_Allreduce"),
                         {"mg_utils::mg_grid_init > comm_helper::all_max (wrappers.f90:12)": 2,
                          "smooth > comm_helper::all_max (wrappers.f90:12)": 6,
                          "old_style > comm_helper::all_max (wrappers.f90:12)": 2})
        self.assertEqual(self.counts("MPI_Barrier"), {"mg_utils::mg_solve (wrappers.f90:33)": 6})
        self.assertEqual(list(self.counts("MPI_Init")), ["main program (wrappers.f90:56)"])
        self.check_exports()

    def test_python(self):
        self.record("MPI4PY", "SCRIPT")
        self.assertEqual(self.counts("MPI_Allreduce"),
                         {"Solver.step > reduce_all (wrappers.py:14)": 6,
                          "schließen > reduce_all (wrappers.py:14)": 2})
        barriers = {name.replace(".<listcomp>", ""): count
                    for name, count in self.counts("MPI_Barrier").items()}
        self.assertEqual(barriers, {"schließen (wrappers.py:31)": 4, "wrappers.py:40": 2})
        for call in ("MPI_Init", "MPI_Init_thread"):
            self.assertLessEqual(self.counts(call).keys(), {"wrappers.py:6"})
        self.assertLessEqual(self.counts("MPI_Ibarrier").keys(), {"<lambda> (wrappers.py:37)"})
        for site in self.profile["sites"]:
            self.assertNotIn("+0x", site["name"])
        self.check_exports()


if __name__ == "__main__":
    unittest.main()
