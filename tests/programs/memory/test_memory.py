# SPDX-License-Identifier: BSD-3-Clause
"""Memory by rank and over time, always recorded; allocations with plait run --memory."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from traced_program import MPIEXEC, PROGRAM, TracedProgram  # noqa: E402

MIB = 1 << 20


class Memory(TracedProgram):
    def recorded(self, which, *options):
        folder = "run-" + which + "".join(options)
        result = self.plait("run", *options, "-o", folder, "--", *MPIEXEC, "-n", "2", PROGRAM,
                            which)
        return json.loads((self.path / folder / "profile.json").read_text()), result.stderr

    @staticmethod
    def findings(profile):
        return {finding["id"]: finding for finding in profile["findings"]}

    def test_a_rank_with_more_memory_is_found(self):
        profile, printed = self.recorded("uneven")
        ranks = profile["memory"]["ranks"]
        for rank in ranks:
            self.assertGreaterEqual(rank["user_s"], 0)
            self.assertGreaterEqual(rank["system_s"], 0)
        self.assertGreater(ranks[1]["user_s"] + ranks[1]["system_s"], 0)
        self.assertRegex(printed, r"(?s)per rank: user .*system .*memory .*peak\s")
        self.assertGreater(ranks[1]["peak"], ranks[0]["peak"] + 150 * MIB)
        self.assertGreaterEqual(ranks[1]["minor_faults"], 1)
        self.assertIn("rank 1 uses", self.findings(profile)["memory_uneven"]["what"])
        self.assertFalse(profile["memory"]["heap"])
        host, = profile["memory"]["hosts"]
        self.assertEqual(host["ranks"], 2)
        self.assertGreater(host["limit"], host["peak"])

    def test_steady_growth_is_found_and_shown_over_time(self):
        profile, _ = self.recorded("grow")
        finding = self.findings(profile)["memory_growth"]
        self.assertIn("memory of rank 0 grows", finding["what"])
        series = {one["rank"]: one["points"] for one in profile["memory"]["series"]}
        self.assertGreaterEqual(len(series[0]), 20)
        self.assertGreater(series[0][-1][1], series[0][0][1] + 60 * MIB)
        self.assertEqual(profile["memory"]["ranks"][1]["growth_per_s"], 0)

    def test_allocations_are_counted_on_request(self):
        profile, printed = self.recorded("heap", "--memory")
        rank, other = profile["memory"]["ranks"]
        self.assertTrue(profile["memory"]["heap"])
        # What MPI itself allocates is in both ranks.
        self.assertGreaterEqual(rank["allocations"] - other["allocations"], 1500)
        self.assertGreaterEqual(rank["allocated"] - other["allocated"], 290 * 1000 * 1000)
        self.assertGreaterEqual(rank["heap_peak"], 200 * 1000 * 1000)
        self.assertLess(rank["heap_peak"], 200 * 1000 * 1000 + 64 * MIB)
        self.assertGreaterEqual(rank["heap_live"], 80 * 1000 * 1000)
        self.assertLess(rank["heap_live"], 80 * 1000 * 1000 + 64 * MIB)
        self.assertIn("memory: at most", printed)


if __name__ == "__main__":
    unittest.main()
