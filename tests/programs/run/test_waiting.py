# SPDX-License-Identifier: BSD-3-Clause
"""plait run --wait: the program does the same, and Plait says how its ranks waited."""
import os
import re
import shutil

from run_case import ACTOR, MPIEXEC, PLAIT, PlaitTest, run_chosen_group

POLICIES = ("spin", "pause", "yield", "sleep", "automatic")


class Waiting(PlaitTest):
    """group: waiting"""

    def run_waiting(self, policy, ranks, *action):
        shutil.rmtree(self.path / "r", ignore_errors=True)
        return self.run_plait("--wait", policy, "-o", "r", "--", MPIEXEC, *self.unbound(), "-n",
                              ranks, ACTOR, *action)

    def test_every_policy_is_followed(self):
        for policy in POLICIES:
            result = self.run_waiting(policy, 2, "exchange_late", 50)
            self.assertEqual(result.returncode, 0, result.stderr)
            text = " ".join(result.stderr.decode().split())
            found = re.search(r"Waiting: (\w+); (\d) ranks polled ([\d.]+( [kMG])?) times", text)
            self.assertIsNotNone(found, text)
            self.assertEqual((found[1], found[2]), (policy, "2"))
            shares = re.search(r"paused (\S+) %, yielded (\S+) %, slept (\S+) %", text)
            if policy in ("pause", "yield", "sleep"):
                place = {"pause": 1, "yield": 2, "sleep": 3}[policy]
                self.assertEqual(shares[place], "100", text)
            calls = {row["name"]: row["count"] for row in self.profile()["calls"]}
            self.assertEqual(calls["MPI_Sendrecv"], 100, calls)

    def test_plait_report_repeats_it(self):
        self.assertEqual(self.run_waiting("sleep", 2, "exchange_late", 50).returncode, 0)
        report = self.command(PLAIT, "report", "r", "--no-html")
        self.assertIn(b"Waiting: sleep; 2 ranks", report.stdout)

    def test_more_ranks_than_cores_finish_beside_a_busy_process(self):
        with self.busy_processes(2):
            result = self.run_waiting("automatic", 2 * len(os.sched_getaffinity(0)), "exchange",
                                      200)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_code_of_the_program_and_a_killed_rank_stay_as_they_are(self):
        self.assertEqual(self.run_waiting("automatic", 2, "exit", 3).returncode, 3)
        killed = self.run_waiting("sleep", 2, "exchange_and_die", 20)
        self.assertNotEqual(killed.returncode, 0)

    def test_an_unknown_policy_is_refused(self):
        result = self.run_plait("--wait", "nap", "-o", "r", "--", MPIEXEC, "-n", 1, ACTOR, "exit",
                                0)
        self.one_error_line(result, "nap", "automatic")
        self.assertFalse((self.path / "r").exists())


if __name__ == "__main__":
    run_chosen_group()
