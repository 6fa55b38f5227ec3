# SPDX-License-Identifier: BSD-3-Clause
"""Runs of one program under plait run --trace, in a folder of the tests' own.

Environment: PLAIT, MPIEXEC, PROGRAM.
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
PROGRAM = os.environ["PROGRAM"]
LIMIT_S = 150  # the tests wait for no time, it only ends what hangs


class TracedProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plait-traced-test-")
        cls.path = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def started(self, arguments):
        return subprocess.run([PLAIT, *arguments], capture_output=True, cwd=self.path,
                              timeout=LIMIT_S, env=self.environment(), text=True)

    def plait(self, *arguments):
        result = self.started(arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *arguments):
        """The error of a command that ends with exit code 2."""
        result = self.started(arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        return result.stderr

    def run_traced(self, which, ranks, folder):
        """PROGRAM WHICH on some ranks, its run in a folder."""
        self.plait("run", "--trace", "-o", folder, "--", *MPIEXEC, "-n", str(ranks), PROGRAM, which)
        if "PLAIT_TEST_SHARED" in os.environ:
            self.check_shared(folder)

    def environment(self, more=()):
        return {**os.environ, "XDG_DATA_HOME": self.folder.name, "LC_ALL": "C.UTF-8", **dict(more)}

    def shared(self, folder, processes, environment=()):
        """plait report of a run on several processes."""
        command = [*MPIEXEC, "-n", str(processes), PLAIT, "report", folder]
        return subprocess.run(command, capture_output=True, cwd=self.path, timeout=LIMIT_S,
                              env=self.environment(environment), text=True)

    def check_shared(self, folder, counts=(2, 3, 5), environment=(("PLAIT_LEADERS", "all"),)):
        """Processes that share the analysis of a run get the results that are in the folder."""
        files = [self.path / folder / name for name in ("analysis.json", "report.html")]
        alone = [file.read_bytes() for file in files]
        for count in counts:
            for file in files:
                file.unlink()
            result = self.shared(folder, count, environment)
            self.assertEqual(result.returncode, 0, result.stderr)
            for file, content in zip(files, alone):
                self.assertTrue(file.read_bytes() == content, f"{file}, {count} processes")

    def analysis_in(self, folder):
        return json.loads((self.path / folder / "analysis.json").read_text())
