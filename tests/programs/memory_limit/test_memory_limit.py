# SPDX-License-Identifier: BSD-3-Clause
"""Analyses that need more memory than --memory-limit allows; environment: PLAIT, GENERATE."""
import os
import pathlib
import subprocess
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
LIMIT = ["--memory-limit", "64MiB"]  # a sixteenth of it holds less than this trace takes
WARNING = "plait: warning: the memory limit is exceeded"
LIMIT_S = 100


class MemoryLimit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plait-memory-")
        cls.record = pathlib.Path(cls.folder.name) / "run"
        subprocess.run([os.environ["GENERATE"], cls.record, "8", "3e5"], check=True,
                       stdout=subprocess.DEVNULL, timeout=LIMIT_S)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def plait(self, *arguments, temporary=None):
        """Returns what a command printed, and its messages."""
        (self.record / "analysis.json").unlink(missing_ok=True)
        folder = self.folder.name if temporary is None else temporary
        done = subprocess.run([PLAIT, *map(str, arguments)], capture_output=True, text=True,
                              timeout=LIMIT_S, check=False,
                              env={**os.environ, "TMPDIR": str(folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def test_report_is_the_same(self):
        whole, _ = self.plait("report", self.record)
        analysis = (self.record / "analysis.json").read_text()
        page = (self.record / "report.html").read_text()
        limited, messages = self.plait("report", *LIMIT, self.record)
        self.assertNotIn(WARNING, messages)
        self.assertEqual(limited, whole)
        self.assertEqual((self.record / "analysis.json").read_text(), analysis)
        self.assertEqual((self.record / "report.html").read_text(), page)

    def test_replay_and_export_are_the_same(self):
        self.assertEqual(self.plait("replay", *LIMIT, self.record)[0],
                         self.plait("replay", self.record)[0])
        files = [pathlib.Path(self.folder.name) / name for name in ("whole", "limited")]
        for file, limit in zip(files, ([], LIMIT)):
            self.plait("export", *limit, "--to", "perfetto", "-o", file, self.record)
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_goes_on_in_memory_where_no_file_can_be_written(self):
        whole, _ = self.plait("report", "--no-html", self.record)
        limited, messages = self.plait("report", "--no-html", *LIMIT, self.record,
                                       temporary="/nowhere/at/all")
        self.assertEqual(messages.count(WARNING), 1, "the limit is exceeded, and that is said once")
        self.assertIn("TMPDIR", messages)
        self.assertEqual(limited, whole)

    def test_refuses_what_is_not_a_size(self):
        for size, text in (("many", "many"), ("1MiB", "give 64 MiB or more")):
            done = subprocess.run([PLAIT, "report", "--memory-limit", size, self.record],
                                  capture_output=True, text=True, timeout=LIMIT_S, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
