# SPDX-License-Identifier: BSD-3-Clause
"""Causes of waiting in real programs, found by plait run --trace.

Environment: see traced_program.py.
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from traced_program import MPIEXEC, PROGRAM, TracedProgram


class Causes(TracedProgram):
    def analysis(self, which, ranks):
        """The analysis of a run in the folder WHICH, which the first call creates."""
        if not (self.path / which).exists():
            self.run_traced(which, ranks, which)
        analysis = self.analysis_in(which)
        self.assertEqual(analysis["schema"], "plait-analysis")
        self.assertEqual(analysis["schema_version"], 1)
        self.assertTrue(analysis["causes"], analysis)
        return analysis

    def test_a_slow_rank_is_named_with_its_region(self):
        analysis = self.analysis("slow", 4)
        cause = analysis["causes"][0]
        self.assertEqual((cause["kind"], cause["rank"], cause["region"]),
                         ("computation", 2, "work"), analysis["causes"])
        self.assertEqual(sorted(cause["delayed"]), [0, 1, 3])
        self.assertGreater(cause["own_excess_s"], 0)
        self.assertIn("slow (causes.c:", cause["site"])
        self.assertEqual(analysis["waits"][0]["kind"], "wait at NxN")
        # Other programs may use the CPUs of any rank on its way.
        owner = next(one for one in analysis["critical_path"]["owners"]
                     if one["kind"] != "waiting for a CPU")
        self.assertEqual((owner["rank"], owner["kind"]), (2, "computation"))
        definitions = [one["definition"] for one in analysis["efficiencies"]]
        self.assertEqual(definitions, ["multiplicative, replay", "additive, replay",
                                       "multiplicative, wait states", "additive, wait states"])

    def test_work_one_rank_after_another_is_serialization(self):
        analysis = self.analysis("chain", 4)
        cause = analysis["causes"][0]
        self.assertEqual(cause["kind"], "serialization", analysis["causes"])
        self.assertEqual(cause["chain"], [0, 1, 2, 3])

    def test_a_late_receive_is_named_with_its_place(self):
        analysis = self.analysis("late_receive", 4)
        cause = analysis["causes"][0]
        self.assertEqual((cause["kind"], cause["rank"]), ("late posted receive", 1),
                         analysis["causes"])
        self.assertIn("late_receive (causes.c:", cause["site"])
        self.assertIn("late receiver", [wait["kind"] for wait in analysis["waits"]])

    def test_in_neighbourhood_collectives_ranks_wait_for_their_neighbours(self):
        for which, waiting in (("line", 2), ("ring", 0)):
            analysis = self.analysis(which, 4)
            waits = next(wait for wait in analysis["waits"]
                         if wait["kind"] == "wait for neighbours")
            self.assertEqual(waits["worst_rank"], waiting, analysis["waits"])
            self.assertGreater(waits["worst_s"], 0.35, analysis["waits"])
            cause = analysis["causes"][0]
            self.assertEqual((cause["kind"], cause["rank"], cause["region"]),
                             ("computation", 3, "work"), analysis["causes"])
            self.plait("replay", which)

    def test_epochs_of_windows_wait_for_late_posts_and_completes(self):
        for which, kind, waiting, late in (("late_post", "late post", [0], 2),
                                           ("late_complete", "late complete", [1, 2], 0)):
            analysis = self.analysis(which, 3)
            waits = [wait for wait in analysis["waits"] if wait["kind"] == kind]
            self.assertGreater(sum(wait["seconds"] for wait in waits), 0.35 * len(waiting),
                               analysis["waits"])
            self.assertIn(waits[0]["worst_rank"], waiting)
            cause = analysis["causes"][0]
            self.assertEqual((cause["kind"], cause["rank"], cause["region"]),
                             ("computation", late, "work"), analysis["causes"])

    def test_testing_for_the_end_of_an_epoch_is_waiting(self):
        analysis = self.analysis("late_test", 3)
        waits = [wait for wait in analysis["waits"] if wait["kind"] == "late complete"]
        self.assertEqual({wait["function"] for wait in waits}, {"MPI_Win_test"}, analysis["waits"])
        self.assertIn(waits[0]["worst_rank"], (1, 2))
        cause = analysis["causes"][0]
        self.assertEqual((cause["kind"], cause["rank"], cause["region"]),
                         ("computation", 0, "work"), analysis["causes"])

    def test_the_rank_that_holds_a_lock_is_named_with_its_place(self):
        analysis = self.analysis("lock", 3)
        waits = [wait for wait in analysis["waits"] if wait["kind"] == "lock contention"]
        self.assertGreater(sum(wait["seconds"] for wait in waits), 0.35, analysis["waits"])
        self.assertEqual({wait["worst_rank"] for wait in waits}, {1}, analysis["waits"])
        cause = analysis["causes"][0]
        self.assertEqual((cause["kind"], cause["rank"]), ("lock contention", 2),
                         analysis["causes"])
        self.assertIn("locks (causes.c:", cause["site"])
        self.assertIn("rank 2 holds the lock of a window until", analysis["verdict"])

    def test_a_target_that_works_is_waited_for_if_the_library_needs_it(self):
        analysis = self.analysis("progress", 3)
        waiting = sum(wait["seconds"] for wait in analysis["waits"]
                      if wait["kind"] == "wait for progress")
        profile = json.loads((self.path / "progress" / "profile.json").read_text())
        in_calls = sum(call["time_s"] for call in profile["calls"]
                       if call["name"] in ("MPI_Win_lock", "MPI_Win_unlock"))
        # The target works for 0.4 s. Some libraries do without it.
        self.assertEqual(waiting > 0.35, in_calls > 0.35, (analysis["waits"], in_calls))
        cause = analysis["causes"][0]
        self.assertEqual((cause["kind"], cause["rank"], cause["region"]),
                         ("computation", 2, "work"), analysis["causes"])

    def test_messages_only_are_transfer(self):
        analysis = self.analysis("network", 2)
        cause = analysis["causes"][0]
        self.assertEqual(cause["kind"], "transfer", analysis["causes"])
        self.assertIn("network (causes.c:", cause["site"])
        self.assertLess(analysis["ideal_s"], analysis["time_s"])
        cell = analysis["imbalance"]["cells"][0]
        self.assertEqual(cell["function"], "MPI_Sendrecv")

    def test_of_some_ranks_only_the_rest_is_not_blamed(self):
        self.plait("run", "--trace", "--trace-ranks", "0,%3,7", "-o", "some", "--", *MPIEXEC, "-n",
                   "4", PROGRAM, "chain")
        folder = self.path / "some"
        self.assertEqual(sorted(path.name for path in (folder / "trace").iterdir()),
                         ["0.ptrace", "3.ptrace"])
        self.assertEqual(len(list((folder / "records").glob("*.rec"))), 4)
        analysis = self.analysis_in("some")
        self.assertEqual(analysis["traced_ranks"], 2)
        self.assertEqual(analysis["without_partner"], 0)
        self.assertTrue(analysis["verdict"].startswith("Traced: 2 of 4 ranks. "),
                        analysis["verdict"])
        self.assertIn("rank not traced", [wait["kind"] for wait in analysis["waits"]])
        self.assertNotIn("transfer", [cause["kind"] for cause in analysis["causes"]])
        self.assertEqual(analysis["critical_path"]["owners"], [])
        report = " ".join(self.plait("report", "some").stdout.split())
        self.assertIn("Traced: 2 of 4 ranks.", report)
        profile = json.loads((folder / "profile.json").read_text())
        self.assertIn("--trace-ranks names rank 7, but the job has 4 ranks",
                      " ".join(profile["notes"]))
        refused = self.refused("replay", "some")
        self.assertEqual(refused, "plait: error: some: only 2 of 4 ranks were traced, and a replay "
                         "needs all; record it again without --trace-ranks\n")

    def test_of_some_iterations_only_these_are_judged(self):
        # From the second reduction, which rank 2 reaches last, to the begin of the fourth.
        self.plait("run", "--trace", "--trace-region", "MPI_Allreduce", "--trace-iterations", "2-3",
                   "-o", "part", "--", *MPIEXEC, "-n", "4", PROGRAM, "slow")
        analysis = self.analysis_in("part")
        cause = analysis["causes"][0]
        self.assertEqual((cause["kind"], cause["rank"], cause["region"]),
                         ("computation", 2, "work"), analysis["causes"])
        waits = {wait["kind"]: wait["count"] for wait in analysis["waits"]}
        self.assertEqual(waits["wait at NxN"], 3, analysis["waits"])  # only in the third one
        self.assertNotIn("before the first call", waits)
        self.assertGreater(analysis["cut_s"], 0)
        self.assertEqual(analysis["without_partner"], 0)
        self.assertTrue(analysis["verdict"].startswith("Traced: "), analysis["verdict"])
        self.assertTrue(any("parts, at least one rank recorded no events" in note
                            for note in analysis["notes"]), analysis["notes"])
        profile = json.loads((self.path / "part" / "profile.json").read_text())
        self.assertIn(("MPI_Allreduce", 4 * 4),
                      [(call["name"], call["count"]) for call in profile["calls"]])
        self.plait("replay", "part")
        self.plait("export", "part", "--to", "json")

    def test_a_list_that_is_not_one_is_refused(self):
        for ranks in ("3-1", "x", "1,"):
            refused = self.refused("run", "--trace", "--trace-ranks", ranks, "--", PROGRAM)
            self.assertIn("not a list of ranks; give ranks, ranges and strides", refused)
            self.assertEqual(refused.count("\n"), 1)
        refused = self.refused("run", "--trace", "--trace-region", "a", "--trace-iterations", "3-",
                               "--", PROGRAM)
        self.assertIn("--trace-iterations 3-: not a list of iterations; give iterations", refused)
        refused = self.refused("run", "--trace", "--trace-signal", "SIGKILL", "--", PROGRAM)
        self.assertIn("--trace-signal SIGKILL: not a signal that can switch a trace", refused)

    def test_the_report_is_reproducible_even_if_the_analysis_was_damaged(self):
        analysis = self.analysis("slow", 4)
        first = self.plait("report", "slow").stdout
        # Unless the ranks waited for a CPU longer than for rank 2.
        self.assertRegex(" ".join(first.split()), "rank 2 computes|waited .* for a CPU")
        self.assertIn("multiplicative, replay", first)
        for line in first.splitlines():
            self.assertLessEqual(len(line), 80, line)
        (self.path / "slow" / "analysis.json").write_text("{\"schema\": \"plait-analysis\"")
        self.assertEqual(self.plait("report", "slow").stdout, first)
        self.assertEqual(self.analysis_in("slow"), analysis)


if __name__ == "__main__":
    unittest.main()
