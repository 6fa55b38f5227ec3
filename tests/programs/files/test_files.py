# SPDX-License-Identifier: BSD-3-Clause
"""plait run --io: bytes, calls and findings of files; the program behaves as without it."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from traced_program import LIMIT_S, MPIEXEC, PROGRAM, TracedProgram  # noqa: E402


class Files(TracedProgram):
    def recorded(self, which, *options):
        """The profile of PROGRAM WHICH on two ranks, and what was printed."""
        folder = f"run-{which}-{len(list(self.path.glob('run-*')))}"
        result = self.plait("run", "--io", *options, "-o", folder, "--", *MPIEXEC, "-n", "2",
                            PROGRAM, which)
        return json.loads((self.path / folder / "profile.json").read_text()), result

    def file(self, profile, name, kind):
        path = str(self.path.resolve() / name)
        found = [row for row in profile["io"]["files"]
                 if row["path"] == path and row["kind"] == kind]
        self.assertEqual(len(found), 1, f"{path} among {profile['io']['files']}")
        return found[0]

    @staticmethod
    def findings(profile):
        return {finding["id"]: finding for finding in profile["findings"]}

    def test_small_writes_are_counted_and_found_and_no_file_of_plait(self):
        profile, result = self.recorded("small")
        for rank in (0, 1):
            row = self.file(profile, f"small-{rank}.dat", "posix")
            self.assertEqual(row["write"]["calls"], 2002)
            self.assertEqual(row["write"]["bytes"], 200000 + 1024 + 1000)
            self.assertEqual(row["write_sizes"], [2000, 2, 0, 0, 0, 0])
            self.assertEqual((row["read"]["calls"], row["read"]["bytes"]), (10, 40960))
            self.assertEqual(row["open"]["calls"], 1)
            self.assertEqual(row["close"]["calls"], 2)
            self.assertEqual(row["sync"]["calls"], 1)
            self.assertEqual(row["seek"]["calls"], 1)
            self.assertEqual((row["ranks"], row["writers"]), (1, 1))
            self.assertGreater(row["time_s"], 0)
        self.assertIn("io_small", self.findings(profile))
        self.assertNotIn("io_shared_file", self.findings(profile))
        self.assertIn("files: ", result.stderr)
        for row in profile["io"]["files"]:  # none of Plait's own
            self.assertNotIn("/records/", row["path"])
            self.assertNotIn("schedstat", row["path"])

    def test_a_file_that_all_ranks_write_is_found(self):
        profile, _ = self.recorded("shared")
        row = self.file(profile, "shared.dat", "posix")
        self.assertEqual((row["ranks"], row["writers"]), (2, 2))
        self.assertEqual(row["write"]["bytes"], 2 * 4 * 65536)
        finding = self.findings(profile)["io_shared_file"]
        self.assertIn("all ranks write the same file", finding["what"])
        self.assertIn("shared.dat", finding["evidence"])

    def test_mpi_io_is_counted_by_file_and_is_no_shared_file(self):
        profile, _ = self.recorded("mpiio")
        row = self.file(profile, "mpiio.dat", "mpi")
        self.assertEqual((row["ranks"], row["writers"]), (2, 2))
        self.assertEqual(row["write"]["calls"], 6)
        self.assertEqual(row["write"]["bytes"], 6 * 65536)
        self.assertEqual(row["read"]["bytes"], 2000)
        self.assertEqual(row["open"]["calls"], 2)
        self.assertEqual(row["close"]["calls"], 2)
        self.assertEqual(row["sync"]["calls"], 2)
        self.assertNotIn("io_shared_file", self.findings(profile))
        inside = self.file(profile, "mpiio.dat", "in_mpi")
        self.assertGreaterEqual(inside["write"]["bytes"], 6 * 65536)

    def test_streams_are_counted_as_the_program_calls_them(self):
        profile, _ = self.recorded("stdio")
        row = self.file(profile, "stream-1.txt", "stdio")
        self.assertEqual(row["write"]["calls"], 1001)
        self.assertEqual(row["write"]["bytes"], 20014)
        self.assertEqual(row["read"]["calls"], 2)
        self.assertEqual(row["read"]["bytes"], 20001)
        self.assertEqual((row["open"]["calls"], row["close"]["calls"]), (2, 2))
        self.assertNotIn("io_small", self.findings(profile))

    def test_bytes_are_kept_over_time(self):
        profile, _ = self.recorded("phases")
        self.assertEqual([series["rank"] for series in profile["io"]["series"]], [0, 1])
        for series, rank in zip(profile["io"]["series"], profile["io"]["ranks"]):
            points = series["points"]
            written = [bytes_ for _, _, bytes_ in points if bytes_ >= 1000]
            self.assertEqual(written, [65536, 32768])
            self.assertGreaterEqual(sum(read for _, read, _ in points), 1000)
            self.assertLessEqual(sum(read for _, read, _ in points), rank["read"])
            seconds = [second for second, _, _ in points]
            self.assertEqual(seconds, sorted(seconds))
            self.assertGreater(seconds[-1], 0.5)

    def test_calls_by_path_are_counted_for_the_folder(self):
        profile, _ = self.recorded("metadata")
        folder = next(
            row for row in profile["io"]["files"]
            if row["kind"] == "posix" and row["meta"]["calls"] >= 6000)
        self.assertTrue(folder["path"].startswith(str(self.path.resolve())))
        self.assertEqual(self.file(profile, "metadata.dat", "posix")["open"]["calls"], 2000)
        self.assertIn("io_metadata", self.findings(profile))

    def test_results_errors_interruptions_and_children_are_those_without_plait(self):
        plain = subprocess.run([*MPIEXEC, "-n", "2", PROGRAM, "behave"], capture_output=True,
                               cwd=self.path, timeout=LIMIT_S, text=True, env=os.environ)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        for options in ([], ["--memory"], ["--counters", "page-faults", "--sample=1kHz"]):
            profile, result = self.recorded("behave", *options)
            self.assertEqual(sorted(result.stdout.splitlines()), sorted(plain.stdout.splitlines()))
            for rank in (0, 1):
                row = self.file(profile, f"behave-{rank}.dat", "posix")
                self.assertEqual(row["write"]["bytes"], 500)  # not the 5000 of a child
                self.assertEqual(row["write"]["calls"], 1)
                self.assertEqual(row["close"]["calls"], 1)

    def test_calls_during_a_pause_are_left_out_but_descriptors_are_followed(self):
        profile, _ = self.recorded("paused")
        self.assertEqual(self.file(profile, "before.dat", "posix")["write"]["bytes"], 200)
        self.assertEqual(self.file(profile, "within.dat", "posix")["write"]["bytes"], 20)

    def test_signal_handlers_may_open_files_at_any_time(self):
        profile, _ = self.recorded("signal")
        # Calls of a handler in the midst of Plait's own work are not counted.
        for rank in profile["io"]["ranks"]:
            self.assertGreaterEqual(rank["written"], 3000 * 10)
        self.assertGreater(profile["io"]["left_out"], 0)

    def test_without_the_option_only_the_processes_bytes_are_known(self):
        self.plait("run", "-o", "none", "--", *MPIEXEC, "-n", "2", PROGRAM, "small")
        profile = json.loads((self.path / "none" / "profile.json").read_text())
        self.assertFalse(profile["io"]["measured"])
        self.assertEqual(profile["io"]["files"], [])
        for rank in profile["io"]["ranks"]:
            self.assertGreaterEqual(rank["process_written"], 200000)


if __name__ == "__main__":
    unittest.main()
