# SPDX-License-Identifier: BSD-3-Clause
# Runs plait-jacobi on some ranks and returns its output, for the tests in this folder.
"""Every script here is called as SCRIPT FOLDER PROGRAM LAUNCHER...; the number of ranks is appended
to LAUNCHER: script.py /tmp/x ./plait-jacobi mpiexec --oversubscribe -n"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


class Jacobi:
    """The program, its launcher, and a folder that is empty at the start."""

    def __init__(self) -> None:
        self.folder = pathlib.Path(sys.argv[1])
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.program = sys.argv[2]
        self.launcher = sys.argv[3:]

    def run(self, ranks: int, *options: str, threads: int = 1,
            under: tuple = ()) -> subprocess.CompletedProcess:
        """Runs in the folder, each rank under a command; a hanging program fails the test."""
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
        command = [*self.launcher, str(ranks), *under, self.program, *options]
        return subprocess.run(command, cwd=self.folder, env=environment, text=True, timeout=150,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def solve(self, ranks: int, *options: str, threads: int = 1) -> dict:
        """Runs, expects success, and returns the only run of the JSON result."""
        done = self.run(ranks, *options, "--json", "result.json", threads=threads)
        expect(done.returncode == 0, f"{ranks} ranks {options}: {done.stdout}{done.stderr}")
        return json.loads((self.folder / "result.json").read_text())["runs"][0]

    def expect_refusals(self, name: str, cases: list, at_once: int = 8) -> None:
        """Each case (ranks, options, text, and perhaps a command as in run()) ends with an exit
        code on all ranks, one error line of plait-NAME that has the text, and no result."""

        def check(case: tuple) -> None:
            ranks, options, text, *under = case
            done = self.run(ranks, *options, under=under[0] if under else ())
            lines = [line for line in done.stderr.splitlines() if f"plait-{name}: error:" in line]
            print(options, done.returncode, *lines)
            expect(done.returncode not in (0, None) and len(lines) == 1 and text in lines[0],
                   f"{ranks} ranks {options}, '{text}': {done.returncode}\n"
                   f"{done.stdout}{done.stderr}")
            expect("checksum" not in done.stdout, f"{options}: no result is printed")

        # Launchers mostly wait: for ranks to start, and for an error to reach them.
        with ThreadPoolExecutor(max_workers=at_once) as several:
            list(several.map(check, cases))


def expect(holds: bool, what: str) -> None:
    """Ends the test if `holds` is false."""
    if not holds:
        sys.exit(f"not as expected: {what}")
