# SPDX-License-Identifier: BSD-3-Clause
"""plait run --transport; environment: PLAIT, MPIEXEC, PROGRAM (semantics)."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

PLAIT, PROGRAM = os.environ["PLAIT"], os.environ["PROGRAM"]
MPIEXEC = [os.environ["MPIEXEC"]]
VERSION = subprocess.check_output([*MPIEXEC, "--version"])
if b"OpenRTE" in VERSION or b"Open MPI" in VERSION:
    MPIEXEC += ["--oversubscribe", "--bind-to", "none"]
DESIGNS = ("auto", "sm", "sm-counted", "orq", "orq-lock", "cor")
# For all designs but the first one: what depends on the queues. tests/unit/transport has the rest.
OF_QUEUES = ("sizes", "any", "unexpected", "asleep", "probe", "probe_any", "threads")
LIMIT_S = 120  # per command; the tests do not depend on it, it only ends what hangs


class TransportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plait-transport-")
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def start(self, *options, ranks=3, launcher=(), groups=(), name="r", before=()):
        command = [*before, PLAIT, "run", *options, "-o", name, "--", *MPIEXEC, *launcher, "-n",
                   str(ranks), PROGRAM, *groups]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                start_new_session=True, cwd=self.path,
                                env={**os.environ, "XDG_DATA_HOME": str(self.path)})

    def end(self, process):
        try:
            out, error = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return process.returncode, out, " ".join(error.split())

    def run_semantics(self, *options, **more):
        return self.end(self.start(*options, **more))

    def check_pieces(self):
        """Long messages may go in pieces only if each rank has a core."""
        code, _, error = self.run_semantics("--transport", ranks=2, groups=(
            "sizes", "any", "unexpected", "threads"))
        self.assertEqual(code, 0, error)
        self.assert_taken(error, "auto", 2)

    def assert_taken(self, error, design, ranks):
        self.assertRegex(error, rf"Transport: {design}; {ranks} ranks sent \S+( [kMG])? messages")


class Designs(TransportTest):
    def test_each_keeps_what_mpi_promises(self):
        for design in DESIGNS:
            with self.subTest(design=design):
                groups = () if design == DESIGNS[0] else OF_QUEUES
                code, out, error = self.run_semantics(f"--transport={design}", name=design,
                                                      groups=groups)
                self.assertEqual(code, 0, error)
                self.assertRegex(out, r"passed [1-9]\d* checks")
                self.assert_taken(error, design, 3)

    def test_a_core_for_each_rank(self):
        self.check_pieces()

    def test_more_ranks_than_cores(self):
        code, _, error = self.run_semantics("--transport", ranks=8,
                                            groups=("any", "asleep", "collectives", "sizes"))
        self.assertEqual(code, 0, error)
        self.assert_taken(error, "auto", 8)


class Library(TransportTest):
    def test_a_core_for_each_rank(self):
        self.check_pieces()

    def test_the_mpi_library_takes_it(self):
        for design in ("auto", "cor"):
            with self.subTest(design=design):
                code, out, error = self.run_semantics(f"--transport={design}", name=design)
                self.assertEqual(code, 0, error)
                self.assertRegex(out, r"passed [1-9]\d* checks")
                self.assert_taken(error, design, 3)


class Own(TransportTest):
    def test_an_mpi_library_without_libfabric_keeps_its_own(self):
        code, _, error = self.run_semantics("--transport", groups=("any", "sizes"))
        self.assertEqual(code, 0, error)
        self.assertIn("the MPI library's own, not auto: the MPI library does not use libfabric",
                      error)


class Surroundings(TransportTest):
    def test_an_unknown_design_is_refused(self):
        code, _, error = self.run_semantics("--transport=best")
        self.assertNotEqual(code, 0)
        self.assertIn("best", error)
        self.assertIn("orq", error)

    def test_two_jobs_at_once(self):
        jobs = [self.start("--transport", name=name, ranks=2, groups=("sizes", "any"))
                for name in ("first", "second")]
        for job in jobs:
            code, _, error = self.end(job)
            self.assertEqual(code, 0, error)
            self.assert_taken(error, "auto", 2)

    def test_what_the_user_chose_for_the_mpi_library_stays(self):
        code, _, error = self.run_semantics("--transport", launcher=("--mca", "pml", "ob1"),
                                            ranks=2, groups=("any",))
        self.assertEqual(code, 0, error)
        self.assertIn("Transport: the MPI library's own, not auto: the launcher has set "
                      "OMPI_MCA_pml=ob1", error)

    def test_a_refusal_takes_back_what_plait_set_and_nothing_else(self):
        # A rank prints what MPI_Init has left to it.
        code, out, error = self.run_semantics(
            "--transport", ranks=2, groups=("environment",),
            launcher=("--mca", "pml", "ob1", "-x", "FI_PROVIDER=tcp;ofi_rxm"))
        self.assertEqual(code, 0, error)
        kept = dict(line.split("=", 1) for line in out.splitlines() if line.startswith(
            ("OMPI_MCA_", "FI_", "MPIR_CVAR_", "I_MPI_", "PLAIT_WAIT", "PLAIT_TRANSPORT=")))
        self.assertEqual(kept.get("OMPI_MCA_pml"), "ob1")
        self.assertEqual(kept.get("FI_PROVIDER"), "tcp;ofi_rxm")
        for name in ("OMPI_MCA_mtl", "FI_PROVIDER_PATH", "MPIR_CVAR_NOLOCAL", "I_MPI_FABRICS",
                     "PLAIT_WAIT", "PLAIT_TRANSPORT"):
            self.assertEqual(kept.get(name), os.environ.get(name), name)

    def test_another_choice_in_the_environment_is_refused(self):
        with unittest.mock.patch.dict(os.environ, {"FI_PROVIDER": "tcp"}):
            code, _, error = self.run_semantics("--transport")
        self.assertNotEqual(code, 0)
        self.assertIn("FI_PROVIDER=tcp: chooses the way of the messages", error)

    def test_a_killed_rank_leaves_nobody_waiting_and_nothing_behind(self):
        code, _, error = self.run_semantics("--transport", name="first", groups=("die",))
        self.assertNotEqual(code, 0, error)
        self.assertIn("Transport: auto; 3 ranks", error)
        # mpiexec then leaves the others alone.
        self.run_semantics("--transport", launcher=("--enable-recovery",), groups=("die",))
        # A segment has no name: it is there as long as a process has it open.
        self.assertEqual(self.segments_in_use(), [])

    def segments_in_use(self):
        """Segments that processes in the folder of this test have open."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "cwd") != str(self.path):
                    continue
                names = [os.readlink(file) for file in (process / "fd").iterdir()]
            except OSError:
                continue
            found += [name for name in names if name.startswith("/dev/shm/") and "deleted" in name]
        return found

    def test_a_full_memory_file_system_is_named_and_the_program_runs(self):
        small = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"', "sh")
        if subprocess.run([*small, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no user namespaces here")
        code, _, error = self.run_semantics("--transport", ranks=2, groups=("any",), before=small)
        self.assertEqual(code, 0, error)
        self.assertRegex(error, r"Transport: the MPI library's own, not auto: /dev/shm: no room")

    def test_plait_report_repeats_it(self):
        code, _, error = self.run_semantics("--transport=cor", ranks=2, groups=("any",))
        self.assertEqual(code, 0, error)
        report = subprocess.run([PLAIT, "report", "r", "--no-html"], capture_output=True, text=True,
                                cwd=self.path, check=True, timeout=LIMIT_S)
        self.assertTrue(re.search(r"Transport: cor; 2 ranks", report.stdout), report.stdout)


if __name__ == "__main__":
    chosen = {"designs": Designs, "library": Library, "own": Own,
              "surroundings": Surroundings}[sys.argv.pop(1)]
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(chosen)
    outcome = unittest.TextTestRunner(verbosity=2).run(suite)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun > 0 else 1)
