# SPDX-License-Identifier: BSD-3-Clause
"""Patterns and phases of real programs, found by plait run --trace, and comparisons of runs.

Environment: see traced_program.py.
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from traced_program import MPIEXEC, TracedProgram

# Reported when they cost much of a run; on a loaded machine they may appear as well.
BY_TIME = {"no_overlap", "chain"}
# A rank that receives one message after another may post them late.
BESIDE = {"any_source": {"late_receive"}, "handmade_collective": {"late_receive"}}


class Patterns(TracedProgram):
    def analysis(self, which, ranks=4):
        """The analysis of a run in the folder WHICH + RANKS, which the first call creates."""
        folder = f"{which}{ranks}"
        if not (self.path / folder).exists():
            self.run_traced(which, ranks, folder)
        return self.analysis_in(folder)

    def test_each_is_found_in_the_program_that_has_it(self):
        every = ("idle_barrier", "any_source", "handmade_collective", "waitany_loop",
                 "late_receive", "small_messages", "packing", "chain", "no_overlap")
        # Ranks of MPICH that wait keep their cores busy, and what was recorded looks the same.
        some = ("any_source", "waitany_loop", "no_overlap")
        for which in some if "mpich" in MPIEXEC[0] else every:
            with self.subTest(which):
                patterns = self.analysis(which)["patterns"]
                found = {pattern["id"]: pattern for pattern in patterns}
                self.assertIn(which, found, patterns)
                allowed = {which} | BY_TIME | BESIDE.get(which, set())
                self.assertLessEqual(set(found), allowed, patterns)
                pattern = found[which]
                self.assertTrue(pattern["evidence"] and pattern["remedy"])
                self.assertTrue(pattern["ranks"])
                self.assertIn("patterns.c:", " ".join(filter(None, pattern["sites"])))

    def test_measurements_of_this_mpi_decide_about_overlap(self):
        self.analysis("no_overlap")
        run = self.path / "no_overlap4"
        library = json.loads((run / "profile.json").read_text())["context"]["mpi"]["library"]
        machine = json.loads((run / "machine.json").read_text())
        verdict = {"path": "socket", "setting": "", "progresses": False, "overlapped": 0.02,
                   "sentence": ""}
        machine["measured"] = {
            "quick": True, "duration_s": 1, "stream": [], "jacobi": [], "paths": [],
            "mpi": {"library": library, "launcher": MPIEXEC[0]},
            "overlap_verdicts": [{**verdict, "protocol": protocol}
                                 for protocol in ("eager", "rendezvous")]}
        (run / "machine.json").write_text(json.dumps(machine))
        self.plait("report", "--no-html", "no_overlap4")
        patterns = self.analysis("no_overlap")["patterns"]
        evidence = [one["evidence"] for one in patterns if one["id"] == "no_overlap"]
        self.assertTrue(evidence, patterns)
        for text in evidence:
            self.assertRegex(text, f"{library} does not move .*: 2 % hidden, measured by plait")

    def test_none_in_a_clean_program(self):
        for ranks in (2, 3, 4):
            patterns = self.analysis("clean", ranks)["patterns"]
            self.assertLessEqual({pattern["id"] for pattern in patterns}, BY_TIME, patterns)

    def test_phases_are_found_and_compared_between_numbers_of_ranks(self):
        for ranks in (2, 4):
            analysis = self.analysis("clean", ranks)
            longest = max(analysis["phases"], key=lambda phase: phase["repetitions"])
            self.assertGreaterEqual(longest["repetitions"], 100, analysis["phases"])
            self.assertEqual(longest["ranks"], ranks)
            calls = {call["function"]: call["count"] for call in longest["calls"]}
            # The phase may begin and end within a step of another rank.
            self.assertAlmostEqual(calls["MPI_Irecv"], 2 * calls["MPI_Allreduce"], delta=4 * ranks)
        compared = json.loads(self.plait("compare", "--json", "clean2", "clean4").stdout)
        same = [phase for phase in compared["phases"]
                if phase["aligned_by"] == "calls" and phase["a"]["repetitions"] >= 100]
        self.assertEqual(len(same), 1, compared["phases"])
        self.assertEqual((same[0]["a"]["ranks"], same[0]["b"]["ranks"]), (2, 4))
        self.assertAlmostEqual(same[0]["a"]["calls"], same[0]["b"]["calls"], delta=0.5)
        ratio = same[0]["ratio"]
        self.assertLessEqual(ratio["low"], ratio["median"])
        self.assertLessEqual(ratio["median"], ratio["high"])
        text = self.plait("compare", "clean2", "clean4").stdout
        self.assertIn("A: 2 ranks", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
