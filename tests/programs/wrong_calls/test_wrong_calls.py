# SPDX-License-Identifier: BSD-3-Clause
"""Calls with a wrong argument give the same results with and without Plait, and plait check reports
them.

Environment: PLAIT, MPIEXEC (with options), PROGRAM, OBJECT, MAPPER.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
MPIEXEC = os.environ["MPIEXEC"].split()
PROGRAM = os.environ["PROGRAM"]
OBJECT = os.environ["OBJECT"]
MAPPER = os.environ["MAPPER"]
LIMIT_S = 120  # per command; it only ends what hangs

# The modes of plait, as the environment of the program.
MODES = {
    "run": {"LD_PRELOAD": OBJECT},
    "run --trace": {"LD_PRELOAD": OBJECT, "PLAIT_OPTIONS": "trace"},
    "check": {"LD_PRELOAD": OBJECT, "PLAIT_OPTIONS": "check"},
    "run --map": {"LD_PRELOAD": f"{OBJECT}:{MAPPER}", "PLAIT_MAP": "always"},
}


def is_stable(case, result):
    """False where MPI crashes, hangs or begins something with a wrong argument: what it does later
    is then left to chance."""
    begins = re.search(r" MPI_(I(?!nit|nfo|nter|s_)\w+|File_i\w+|R[a-z]*(put|get|accumulate)) ",
                       case)
    return "handled" in result and not (begins and result.startswith("0 "))


class WrongCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plait-wrong-calls-")
        cls.path = pathlib.Path(cls.folder.name)
        cls.skipped, unstable = [], None
        while unstable is None or unstable:
            cls.native = cls.results({}, patience_s=3)
            unstable = [case.split()[0] for case, result in cls.native.items()
                        if not is_stable(case, result)]
            cls.skipped += unstable
        again = cls.results({})  # what differs by itself is left out
        cls.native = {case: result for case, result in cls.native.items()
                      if again.get(case) == result}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def start(cls, environment, *arguments):
        records = tempfile.mkdtemp(dir=cls.path)
        settings = [f"{name}={value}" for name, value in environment.items()]
        if environment:
            settings.append(f"PLAIT_RECORDS={records}")
        return subprocess.run([*MPIEXEC, "-n", "1", "env", *settings, PROGRAM, *arguments],
                              capture_output=True, cwd=cls.path, timeout=LIMIT_S)

    @classmethod
    def results(cls, environment, patience_s=60):
        """The result of each case. A case that ends the program is followed by a new start."""
        results, first = {}, 0
        while True:
            ended = cls.start(environment, str(patience_s), str(first), *cls.skipped)
            case = None
            for line in ended.stdout.decode(errors="replace").splitlines():
                if line == "@end":
                    return results
                if line.startswith("@"):
                    case = line[1:]
                    results[case] = "ends the program"
                    first = int(case.split()[0]) + 1
                elif line.startswith("=") and case:
                    results[case] = line[1:]
            if case is None:
                raise AssertionError(f"nothing was called: {ended}")

    def test_every_function_is_called_wrongly(self):
        functions = {case.split()[1] for case in self.native}
        self.assertGreater(len(functions), 300)
        self.assertTrue({"MPI_Wait", "MPI_Mrecv", "MPI_Send", "MPI_Win_free"} <= functions)
        refused = [case for case, result in self.native.items() if not result.startswith("0 ")]
        self.assertGreater(len(refused), 700)

    def test_results_and_calls_of_error_handlers_are_those_without_plait(self):
        for mode, environment in MODES.items():
            with self.subTest(mode=mode):
                seen = self.results(environment)
                differ = {case: (result, seen.get(case)) for case, result in self.native.items()
                          if seen.get(case) != result}
                self.assertEqual(differ, {})

    def test_check_reports_what_returns_an_error(self):
        done = subprocess.run([PLAIT, "check", "-q", "-o", "r", "--", *MPIEXEC, "-n", "1", PROGRAM,
                               "60", "0", *self.skipped], capture_output=True, cwd=self.path,
                              timeout=LIMIT_S)
        findings = json.loads((self.path / "r" / "check.json").read_text())["findings"]
        reported = {place["function"] for finding in findings for place in finding["places"]
                    if finding["kind"] == "invalid_argument"}
        texts = {place["detail"] for finding in findings for place in finding["places"]
                 if finding["kind"] == "invalid_argument"}
        self.assertNotIn("", texts, done.stderr)
        refused = {case.split()[1] for case, result in self.native.items()
                   if not result.startswith("0 ")}
        self.assertTrue({"MPI_Send", "MPI_Waitall", "MPI_Type_vector", "MPI_Put"} <= refused)
        # They are asked whether there is such a type, or fail for want of a file.
        questions = {"MPI_Type_match_size", "MPI_Type_create_f90_real",
                     "MPI_Type_create_f90_complex", "MPI_Type_create_f90_integer",
                     "MPI_File_delete"}
        self.assertEqual(refused - reported - questions, set())

    def test_the_exit_code_under_fatal_errors_is_that_without_plait(self):
        wanted = ("MPI_Send dest 0", "MPI_Recv count 0", "MPI_Bcast root 1", "MPI_Wait request 0",
                  "MPI_Type_commit datatype 0", "MPI_Comm_free comm 0")
        numbers = {case.split(" ", 1)[1]: case.split()[0] for case in self.native}
        for case in wanted:
            if case not in numbers:
                continue
            self.assert_all_modes_end_as_without_plait("fatal", numbers[case])

    def assert_all_modes_end_as_without_plait(self, *arguments):
        """MPICH's mpiexec returns 1 instead of the program's exit code by chance."""
        plain = self.start({}, *arguments).returncode
        self.assertNotEqual(plain, 0)
        for mode, environment in MODES.items():
            with self.subTest(arguments=arguments, mode=mode):
                seen = self.start(environment, *arguments).returncode
                for _ in range(4):
                    if seen == plain:
                        break
                    plain = self.start({}, *arguments).returncode
                    seen = self.start(environment, *arguments).returncode
                self.assertEqual(seen, plain)

    def test_abort_of_an_invalid_communicator_ends_as_without_plait(self):
        self.assert_all_modes_end_as_without_plait("abort")


if __name__ == "__main__":
    unittest.main(verbosity=2)
