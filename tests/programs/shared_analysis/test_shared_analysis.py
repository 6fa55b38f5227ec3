# SPDX-License-Identifier: BSD-3-Clause
"""Analyses that several processes share: mpiexec -n N plait report.

Environment: GENERATE (plait_generate), and see traced_program.py.
"""
import contextlib
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from traced_program import LIMIT_S, MPIEXEC, PLAIT, TracedProgram


def descendants(pid):
    """The children of a process, which launchers move to groups of their own, and theirs."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [one for child in map(int, children.split()) for one in (child, *descendants(child))]


class SharedAnalysis(TracedProgram):
    def generate(self, folder, *arguments):
        subprocess.run([os.environ["GENERATE"], folder, *arguments], check=True, cwd=self.path,
                       stdout=subprocess.DEVNULL, timeout=LIMIT_S)

    def test_all_results_are_those_of_one_process(self):
        for which, ranks in (("late_receive", 4), ("late_post", 3)):
            with self.subTest(which=which):
                self.run_traced(which, ranks, which)
                self.check_shared(which)

    def test_many_ranks_are_divided(self):
        self.generate("many", "200", "60000")  # the replay divides groups of 64 ranks
        self.plait("report", "many")
        self.check_shared("many")
        # The first process of a node works for all.
        self.check_shared("many", counts=(1, 3), environment=())

    def test_what_is_damaged_is_left_out_by_all(self):
        self.generate("damaged", "8", "20000")
        file = sorted((self.path / "damaged" / "trace").iterdir())[3]
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 255
        file.write_bytes(content)
        self.plait("report", "damaged")
        self.check_shared("damaged")

    def test_an_error_is_reported_once(self):
        result = self.shared("nowhere", 3)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("plait: error: nowhere: no such directory"), 1,
                         result.stderr)

    def test_exports_and_replays_give_their_results_once(self):
        self.generate("once", "4", "2000")
        export = "export", "--to", "chrome", "--force", "-o", "once.json", "once"
        network = "--network", "latency=2us,bandwidth=1GB/s,eager=64KiB", "--network", "ideal"
        replay = "replay", "once", *network
        generated = "replay", "--generate", "halo,ranks=8,nodes=2,compute=1ms,faces=1MiB", *network
        for command in export, replay, generated:
            result = subprocess.run([*MPIEXEC, "-n", "3", PLAIT, *command], capture_output=True,
                                    cwd=self.path, timeout=LIMIT_S, text=True, check=False,
                                    env=self.environment((("PLAIT_LEADERS", "all"),)))
            self.assertEqual(result.returncode, 0, result.stderr)
            once = self.plait(*command).stdout
            self.assertEqual(result.stdout.replace("\r\n", "\n"), once)

    def test_exports_do_not_depend_on_the_cores(self):
        self.generate("cores", "50", "100000")
        self.generate("parts", "200", "100000")
        output = self.path / "exported"
        one_core = "taskset", "-c", str(min(os.sched_getaffinity(0)))
        hows = ((one_core, ()), ((*MPIEXEC, "-n", "2"), ()),
                ((*MPIEXEC, "-n", "3"), (("PLAIT_LEADERS", "all"),)))
        forms = "json", "perfetto", "parquet", "simgrid", "dimemas"
        part = "--ranks", "3-5,60-70,128-199", "--from", "1ms"
        cases = [(form, ()) for form in forms] + [(form, part) for form in forms[:3]]
        for run, (form, selection) in itertools.product(("cores", "parts"), cases):
            if run == "cores" and selection:
                continue
            results = []
            for how, variables in hows:
                result = subprocess.run(
                    [*how, PLAIT, "export", "--to", form, "-o", output, *selection, run],
                    cwd=self.path, capture_output=True, timeout=LIMIT_S, check=True, text=True,
                    env=self.environment(variables))
                files = [output] if output.is_file() else sorted(output.rglob("*"))
                results.append(({file.name: file.read_bytes() for file in files},
                                result.stdout.replace("\r\n", "\n")))
                if output.is_file():
                    output.unlink()
                else:
                    shutil.rmtree(output)
            for result in results[1:]:
                self.assertEqual(results[0], result, (run, form, selection))

    def test_an_error_of_the_first_process_ends_an_export(self):
        self.generate("parts", "200", "20000")
        for form in "json", "perfetto", "parquet", "simgrid", "dimemas":
            output = self.path / form
            output.mkdir()
            (output / "file").touch()
            result = subprocess.run(
                [*MPIEXEC, "-n", "3", PLAIT, "export", "--to", form, "-o", output, "parts"],
                cwd=self.path, capture_output=True, timeout=LIMIT_S, check=False, text=True,
                env=self.environment((("PLAIT_LEADERS", "all"),)))
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(result.stderr.count(f"plait: error: {output}: already exists"), 1,
                             result.stderr)

    def test_a_killed_analysis_leaves_the_run_as_it_was(self):
        self.generate("killed", "16", "500000")
        run = self.path / "killed"
        before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
        env = self.environment((("PLAIT_LEADERS", "all"),))
        with subprocess.Popen([*MPIEXEC, "-n", "2", PLAIT, "report", "--no-html", "killed"],
                              cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True, env=env) as process:
            time.sleep(1)  # it may be anywhere, even at its end
            for one in [process.pid, *descendants(process.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
        after = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
        for name in ("analysis.json", "profile.json"):
            after.pop(run / name, None)
        for changed in set(before) - set(after):
            self.fail(f"{changed} is away")
        self.assertEqual({path: after[path] for path in before if path.is_file()},
                         {path: time for path, time in before.items() if path.is_file()})
        self.plait("report", "--no-html", "killed")


if __name__ == "__main__":
    unittest.main()
