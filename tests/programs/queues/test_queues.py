#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""plait-queues: its table, its JSON, its errors, and what remains when a process is killed.

Environment: QUEUES (the program), SCHEMA, VALIDATE.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

QUEUES = os.environ["QUEUES"]
DESIGNS = ["auto", "sm", "sm-counted", "orq", "orq-lock", "cor"]


def queues(*arguments):
    """The finished program."""
    return subprocess.run([QUEUES, "--time", "0.001", "--bytes", "40000", *arguments],
                          capture_output=True, text=True, check=False, timeout=200)


def children_of(process):
    """The processes that a process has started."""
    path = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in path.read_text(encoding="ascii").split()]


def remains():
    """Names in /dev/shm, which are none of the program's at any time."""
    return [path.name for path in pathlib.Path("/dev/shm").iterdir()
            if path.name.startswith("plait-")]


def has_ended(process):
    """True for a process that is gone or a zombie."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return text.rsplit(")", 1)[1].split()[0] == "Z"


def wait_until(fact):
    """Waits for a fact, which must come true."""
    while not fact():
        time.sleep(0.01)


class Queues(unittest.TestCase):
    """One test per promise."""

    def test_the_table_has_a_row_per_design_in_80_columns(self):
        run = queues("--processes", "2,3")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = run.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        rows = [line.split()[:2] for line in lines[1:13]]
        self.assertEqual(rows, [[design, count] for count in "23" for design in DESIGNS])

    def test_the_json_fits_its_schema(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "queues.json"
            run = queues("--design", "auto,cor", "--wait", "yield", "--json", "--output", file)
            self.assertEqual(run.stderr, "")
            self.assertEqual(run.stdout, file.read_text(encoding="utf-8"))
            check = subprocess.run([sys.executable, os.environ["VALIDATE"], os.environ["SCHEMA"],
                                    file], check=False)
            self.assertIn(check.returncode, (0, 77))
            result = json.loads(run.stdout)
        self.assertEqual([one["design"] for one in result["results"]], ["auto", "cor"])
        for one in result["results"]:
            for measure in ("bare_line_s", "latency_s", "messages_per_s", "bytes_per_s", "poll_s"):
                values = one[measure]
                self.assertGreater(values["low"], 0)
                self.assertLessEqual(values["low"], values["median"])
                self.assertLessEqual(values["median"], values["high"])
            self.assertGreater(one["shared_bytes"], 100000)

    def test_messages_may_have_one_byte(self):
        run = queues("--bytes", "1", "--design", "auto")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_a_run_that_fails_leaves_the_file_as_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "queues.json"
            file.write_text("before", encoding="utf-8")
            with subprocess.Popen([QUEUES, "--design", "auto", "--time", "60", "--output", file],
                                  stderr=subprocess.DEVNULL) as run:
                wait_until(lambda: len(children_of(run.pid)) == 2)
                os.kill(children_of(run.pid)[0], signal.SIGKILL)
            self.assertEqual(run.returncode, 1)
            self.assertEqual(file.read_text(encoding="utf-8"), "before")

    def test_many_processes_share_cores(self):
        run = queues("--processes", "20", "--design", "auto,orq-lock")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_errors_have_one_line_and_a_remedy(self):
        for arguments, error in [
                (["--processes", "1"],
                 "--processes 1: invalid value; use a number from 2 to 256"),
                (["--processes", "2,x"],
                 "--processes x: invalid value; use a number from 2 to 256"),
                (["--design", "fast"], "design fast: unknown; use one of " + ", ".join(DESIGNS)),
                (["--wait", "long"], "--wait long: unknown; use automatic, spin, yield or sleep"),
                (["--bytes", "0"],
                 "--bytes 0: invalid value; use a number from 1 to 1073741824"),
                (["--what"], "--what: unknown option; see plait-queues --help"),
                (["--wait"], "--wait: value missing; see plait-queues --help"),
                (["what"], "what: unknown argument; see plait-queues --help"),
                (["--output", "/"],
                 "--output /: cannot be written; give a file in an existing folder"),
                (["--output", "/no/folder/file"],
                 "--output /no/folder/file: cannot be written; give a file in an existing folder"),
        ]:
            with self.subTest(arguments):
                run = queues(*arguments)
                self.assertEqual((run.returncode, run.stdout, run.stderr),
                                 (2, "", f"plait: error: {error}\n"))

    def test_a_killed_process_ends_the_others_and_nothing_remains(self):
        for design in ("auto", "sm", "orq-lock"):
            with self.subTest(design), subprocess.Popen(
                    [QUEUES, "--design", design, "--processes", "4", "--time", "60"],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                wait_until(lambda run=run: len(children_of(run.pid)) == 4)
                self.assertEqual(remains(), [])
                children = children_of(run.pid)
                time.sleep(0.2)  # whatever it does then
                os.kill(children[2], signal.SIGKILL)
                _, errors = run.communicate(timeout=100)
                self.assertEqual(errors, f"plait: error: process {children[2]}: killed by signal "
                                         "9; run plait-queues again\n")
                self.assertEqual(run.returncode, 1)
                self.assertEqual(remains(), [])

    def test_no_process_outlives_the_program(self):
        with subprocess.Popen([QUEUES, "--processes", "3", "--time", "60"]) as run:
            wait_until(lambda: len(children_of(run.pid)) == 3)
            children = children_of(run.pid)
            run.kill()
            run.wait()
            wait_until(lambda: all(has_ended(child) for child in children))
        self.assertEqual(remains(), [])


if __name__ == "__main__":
    unittest.main()
