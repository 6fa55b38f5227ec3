# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of plait run; environment: PLAIT, MPIEXEC, ACTOR, STATIC_MPI."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
MPIEXEC = os.environ["MPIEXEC"]
ACTOR = os.environ["ACTOR"]
STATIC_MPI = os.environ["STATIC_MPI"]
LIMIT_S = 120  # per command; the tests do not depend on it, it only ends what hangs


class PlaitTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plait-run-test-")
        self.path = pathlib.Path(self.folder.name)
        self.env = {**os.environ, "OMP_NUM_THREADS": "1", "XDG_DATA_HOME": self.folder.name}

    def tearDown(self):
        self.folder.cleanup()

    def command(self, *arguments, stdin=b"", env=None):
        return subprocess.run([str(argument) for argument in arguments], input=stdin,
                              capture_output=True, cwd=self.path, timeout=LIMIT_S,
                              env={**self.env, **(env or {})})

    def run_plait(self, *arguments, **more):
        return self.command(PLAIT, "run", *arguments, **more)

    def unbound(self):
        """Options that let a launcher start more ranks than cores, without binding them."""
        version = self.command(MPIEXEC, "--version").stdout
        return [] if b"HYDRA" in version else ["--oversubscribe", "--bind-to", "none"]

    @contextlib.contextmanager
    def busy_processes(self, count, *prefix):
        """Processes that use a CPU each until the context ends; `prefix` starts each of them."""
        others = [subprocess.Popen([*prefix, "sh", "-c", "while :; do :; done"])
                  for _ in range(count)]
        try:
            yield
        finally:
            for other in others:
                other.kill()
                other.wait()

    def run_file(self, name="r"):
        return json.loads((self.path / name / "run.json").read_text())

    def profile(self, name="r"):
        return json.loads((self.path / name / "profile.json").read_text())

    def one_error_line(self, result, *parts):
        lines = result.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("plait: error: "), lines)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertNotEqual(result.returncode, 0)


def run_chosen_group():
    """Runs the classes of tests whose docstring is `group: ` and the first argument."""
    group = sys.argv.pop(1)
    chosen = [case for case in PlaitTest.__subclasses__() if case.__doc__ == "group: " + group]
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case)
                               for case in chosen)
    outcome = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1)
