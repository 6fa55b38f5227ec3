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


def expect(holds: bool, what: str) -> None:
    """Ends the test if `holds` is false."""
    if not holds:
        sys.exit(f"not as expected: {what}")
