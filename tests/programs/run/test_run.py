# SPDX-License-Identifier: BSD-3-Clause
"""plait run and plait where on a real launcher."""
import contextlib
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import time
import unittest

from run_case import ACTOR, LIMIT_S, MPIEXEC, PLAIT, STATIC_MPI, PlaitTest, run_chosen_group


class Ends(PlaitTest):
    """group: ends"""

    def test_the_exit_code_passes_through(self):
        plain = self.command(MPIEXEC, "-n", 2, ACTOR, "exit", 7)
        result = self.run_plait("-o", "r", "--", MPIEXEC, "-n", 2, ACTOR, "exit", 7)
        self.assertEqual(result.returncode, plain.returncode)
        run = self.run_file()
        self.assertEqual(run["exit_code"], plain.returncode)
        self.assertEqual(run["state"], "finished")
        self.assertEqual(run["ranks"], 2)
        self.assertEqual(run["command"][-2:], ["exit", "7"])

    def test_a_run_leaves_a_complete_directory(self):
        result = self.run_plait("-o", "r", "--", MPIEXEC, "-n", 2, ACTOR)
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("run.json", "machine.json", "profile.json", "stdout.txt", "stderr.txt"):
            self.assertTrue((self.path / "r" / name).is_file(), name)
        profile = self.profile()
        self.assertEqual(len(profile["ranks"]), 2)
        counts = {call["name"]: call["count"] for call in profile["calls"]}
        self.assertEqual(counts["MPI_Barrier"], 2)

    def test_records_are_as_large_as_their_contents(self):
        self.run_plait("-q", "-o", "r", "--", MPIEXEC, "-n", 2, ACTOR)
        self.run_plait("-q", "-o", "killed", "--", MPIEXEC, "-n", 2, ACTOR, "kill", 1)
        for name in ("r", "killed"):
            files = list((self.path / name / "records").glob("*.rec"))
            self.assertEqual(len(files), 2)
            for file in files:
                self.assertLess(file.stat().st_size, 1 << 20, file)
                self.assertLessEqual(file.stat().st_size, file.stat().st_blocks * 512, file)

    def test_a_killed_rank_leaves_what_came_before(self):
        plain = self.command(MPIEXEC, "-n", 2, ACTOR, "kill", 1)
        result = self.run_plait("-o", "r", "--", MPIEXEC, "-n", 2, ACTOR, "kill", 1)
        self.assertEqual(result.returncode, plain.returncode)
        profile = self.profile()
        self.assertEqual(len(profile["ranks"]), 2)
        self.assertFalse(profile["complete"])
        self.assertTrue(profile["missing"])

    def test_an_abort_passes_through(self):
        plain = self.command(MPIEXEC, "-n", 2, ACTOR, "abort", 5)
        result = self.run_plait("-o", "r", "--", MPIEXEC, "-n", 2, ACTOR, "abort", 5)
        self.assertEqual(result.returncode, plain.returncode)

    def test_a_job_that_is_stopped_and_continued_goes_on(self):
        """As batch systems suspend jobs: each process by itself."""
        command = [PLAIT, "run", "-q", "--no-report", "-o", "r", "--", "sleep", "1"]
        with subprocess.Popen(command, cwd=self.path) as plait:
            try:
                children = pathlib.Path(f"/proc/{plait.pid}/task/{plait.pid}/children")
                program = None
                while program is None:
                    time.sleep(0.05)
                    self.assertIsNone(plait.poll())
                    for child in children.read_text(encoding="ascii").split():
                        with contextlib.suppress(OSError):
                            name = pathlib.Path(f"/proc/{child}/comm").read_text(encoding="ascii")
                            program = int(child) if name == "sleep\n" else program
                for process in (plait.pid, program):
                    os.kill(process, signal.SIGSTOP)
                time.sleep(0.2)
                os.kill(plait.pid, signal.SIGCONT)
                time.sleep(0.05)
                os.kill(program, signal.SIGCONT)
                self.assertEqual(plait.wait(timeout=30), 0)
            finally:
                plait.kill()

    def test_a_program_without_mpi_runs_unharmed(self):
        # MPICH's mpiexec sometimes ends by SIGPIPE, also without Plait, when programs end at
        # once.
        script = "echo $A; sleep 0.3"
        result = self.run_plait("-q", "--", MPIEXEC, "-n", 2, "env", "A=b", "sh", "-c", script)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, b"b\nb\n")

    def test_a_singleton_runs(self):
        result = self.run_plait("-o", "r", "--", ACTOR, "hello")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, b"rank 0 of 1, 1 threads\n")
        self.assertEqual(len(self.profile()["ranks"]), 1)

    def test_records_may_go_to_a_fast_folder_first(self):
        result = self.run_plait("-q", "-o", "r", "--spool", "fast", "--", MPIEXEC, "-n", 2, ACTOR)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreaterEqual(len(list((self.path / "r" / "records").glob("*.rec"))), 2)
        self.assertEqual(list((self.path / "fast").iterdir()), [])

    def collected(self, code):
        """The output of plait collect, once it ends with that code."""
        for _ in range(10 * LIMIT_S):
            result = self.command(PLAIT, "collect", "r")
            if result.returncode == code:
                return result
            time.sleep(0.1)
        self.fail(result)

    def test_what_a_killed_plait_left_in_its_spool_can_be_collected(self):
        command = [PLAIT, "run", "--spool", "fast", "-o", "r", "--", MPIEXEC, "-n", "2", ACTOR,
                   "hang"]
        with subprocess.Popen(command, cwd=self.path, env=self.env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            while len(list((self.path / "fast").glob("*/*.rec"))) < 2:
                self.assertIsNone(run.poll())
                time.sleep(0.05)
            self.assertIn(b"the run has not ended on this node", self.collected(1).stderr)
            run.kill()
        result = self.collected(0)
        self.assertEqual(result.stdout, b"Collected 2 files from 1 spool\n"
                         b"Next: plait report r\n")
        self.assertEqual(list((self.path / "fast").iterdir()), [])
        self.assertEqual(len(list((self.path / "r" / "records").glob("*.rec"))), 2)
        self.assertEqual(self.command(PLAIT, "report", "r").returncode, 0)
        self.assertIn(b"Nothing of this run is left", self.collected(0).stdout)

    def test_a_run_without_a_spool_has_nothing_to_collect(self):
        self.run_plait("-q", "-o", "r", "--", ACTOR)
        result = self.command(PLAIT, "collect", "r")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"Nothing of this run is left", result.stdout)


class Output(PlaitTest):
    """group: output"""

    def test_output_is_byte_identical(self):
        plain = self.command(MPIEXEC, "-n", 2, ACTOR, "bytes", 300)
        result = self.run_plait("-q", "-o", "r", "--", MPIEXEC, "-n", 2, ACTOR, "bytes", 300)
        self.assertEqual(result.stdout, plain.stdout)
        self.assertEqual(result.stderr, plain.stderr)
        self.assertEqual((self.path / "r" / "stdout.txt").read_bytes(), plain.stdout)
        self.assertEqual((self.path / "r" / "stderr.txt").read_bytes(), plain.stderr)

    def test_input_reaches_the_program(self):
        if self.command(MPIEXEC, "--version").stdout.startswith(b"mpiexec (Open MPI) 5"):
            self.skipTest("hazard openmpi5-standard-input-never-ends, also without Plait")
        text = b"line\n" * 1000
        result = self.run_plait("-q", "--", MPIEXEC, "-n", 2, ACTOR, "cat", stdin=text)
        self.assertEqual(result.stdout, text)

    def test_the_report_goes_to_standard_error_and_is_small(self):
        result = self.run_plait("-o", "r", "--", MPIEXEC, "-n", 1, ACTOR, "hello")
        self.assertEqual(result.stdout, b"rank 0 of 1, 1 threads\n")
        lines = result.stderr.decode().splitlines()
        self.assertIn("next:", result.stderr.decode().lower())
        self.assertLessEqual(len([line for line in lines if not line.startswith("plait:")]), 24)

    def test_a_report_may_be_left_for_later(self):
        result = self.run_plait("--no-report", "-o", "r", "--", MPIEXEC, "-n", 1, ACTOR, "hello")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, b"Run: r\nNext: plait report r\n")
        self.assertFalse((self.path / "r" / "profile.json").exists())
        self.assertEqual(self.command(PLAIT, "report", "r").returncode, 0)
        self.assertEqual(len(self.profile()["ranks"]), 1)

    def test_where_shows_the_output_if_asked(self):
        for option, shown in ((), False), (("--show-output",), True):
            result = self.command(PLAIT, "where", *option, "--", MPIEXEC, "-n", 1, ACTOR, "hello")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(b"rank 0 of 1, 1 threads\n" in result.stdout, shown, result.stdout)

    def test_another_openmp_runtime_takes_the_programs_place(self):
        known = json.loads(self.command(PLAIT, "doctor", "--json").stdout)["omp_runtimes"]
        if not any(runtime["ompt"] and runtime["name"] != "libgomp" for runtime in known):
            result = self.run_plait("--omp-runtime", "llvm", "--", MPIEXEC, "-n", 1, ACTOR)
            self.one_error_line(result, "--omp-runtime")
            return
        result = self.run_plait("-q", "--omp-runtime", "llvm", "-o", "r", "--", MPIEXEC, "-n", 1,
                                ACTOR, "hello", env={"OMP_NUM_THREADS": "2"})
        self.assertEqual(result.stdout, b"rank 0 of 1, 2 threads\n")
        self.assertIn("libomp", self.run_file()["omp_runtime"])
        self.assertIn("LLVM", self.profile()["context"]["omp_runtime"])

    @unittest.skipUnless(shutil.which("mpiexec"), "without a launcher the default MPI is used")
    def test_a_reader_that_leaves_ends_the_program_as_without_plait(self):
        with subprocess.Popen([PLAIT, "run", "-q", "--", "sh", "-c", "while echo y; do :; done"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.path,
                              env=self.env) as process:
            process.stdout.read(10)
            process.stdout.close()
            self.assertNotEqual(process.wait(LIMIT_S), 0)


class Limits(PlaitTest):
    """group: limits"""

    def alive(self):
        """Processes of the actor that this test started (they carry its folder in their cwd)."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.path.resolve()):
                    if os.path.basename(os.readlink(entry / "exe")) == os.path.basename(ACTOR):
                        found.append(entry.name)
            except OSError:
                pass
        return found

    def wait_for_ranks(self, files="*.rec"):
        """Returns when two ranks run and have their files, or after a minute."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            records = list((self.path / "r" / "records").glob(files))
            if len(self.alive()) >= 2 and len(records) >= 2:
                return
            time.sleep(0.1)

    def gone(self):
        until = time.monotonic() + 30
        while self.alive() and time.monotonic() < until:
            time.sleep(0.1)
        return not self.alive()

    def test_the_time_limit_ends_all_ranks(self):
        for action in ("hang", "deaf"):
            result = self.run_plait("-q", "-o", action, "--time-limit", 3, "--", MPIEXEC, "-n", 2,
                                    ACTOR, action)
            self.assertEqual(result.returncode, 124, result.stderr)
            self.assertEqual(self.run_file(action)["state"], "time_limit")
            self.assertTrue(self.gone(), action)

    def test_signals_reach_the_job(self):
        with subprocess.Popen([PLAIT, "run", "-q", "-o", "r", "--", MPIEXEC, "-n", "2", ACTOR,
                               "hang"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              cwd=self.path, env=self.env) as process:
            self.wait_for_ranks()
            process.send_signal(signal.SIGTERM)
            code = process.wait(LIMIT_S)
        if "mpich" not in os.path.basename(ACTOR):  # Hydra itself answers with 0 or 15, by chance
            self.assertNotEqual(code, 0)
        self.assertTrue(self.gone())
        self.assertEqual(self.run_file()["state"], "interrupted")

    def interrupt(self, number, *options):
        """Exit code and standard error of a hanging job that gets a signal once its two ranks have
        their files."""
        files = "*.evt" if "--trace" in options else "*.rec"
        with subprocess.Popen([PLAIT, "run", "-o", "r", *options, "--", MPIEXEC, "-n", "2", ACTOR,
                               "hang"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              cwd=self.path, env=self.env) as process:
            self.wait_for_ranks(files)
            process.send_signal(number)
            error = process.communicate(timeout=LIMIT_S)[1].decode(errors="replace")
        self.assertTrue(self.gone())
        return process.returncode, error

    def test_an_interrupted_trace_is_neither_packed_nor_analysed(self):
        _, error = self.interrupt(signal.SIGTERM, "--trace")
        self.assertIn("the run was interrupted by SIGTERM", error)
        self.assertIn("plait report r", error)
        self.assertFalse((self.path / "r" / "trace").exists())
        self.assertFalse((self.path / "r" / "analysis.json").exists())
        self.assertEqual(len(list((self.path / "r" / "records").glob("*.evt"))), 2)
        self.assertEqual(self.command(PLAIT, "report", "r").returncode, 0)
        self.assertTrue((self.path / "r" / "analysis.json").exists())

    def test_an_interrupt_gives_130_and_is_reported(self):
        code, error = self.interrupt(signal.SIGINT)
        self.assertEqual(code, 130, error)
        self.assertIn("the run was interrupted by SIGINT", error)
        self.assertEqual(self.run_file()["interrupted_by"], signal.SIGINT)
        self.assertEqual(self.profile()["missing"][0], "the run was interrupted by SIGINT")

    def test_control_c_of_the_terminal_gives_130_and_is_reported(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.path)
            os.execve(PLAIT, [PLAIT, "run", "-o", "r", "--", MPIEXEC, "-n", "2", ACTOR, "hang"],
                      self.env)
        self.wait_for_ranks()
        os.write(terminal, b"\x03")
        text = b""
        try:
            while part := os.read(terminal, 4096):
                text += part
        except OSError:  # its last process has ended
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(terminal)
        self.assertEqual(code, 130, text)
        self.assertIn(b"the run was interrupted by SIGINT", text)
        self.assertTrue(self.gone())

    def test_a_program_that_handles_the_interrupt_keeps_its_exit_code(self):
        script = "trap 'exit 7' INT; echo up; while :; do sleep 0.1; done"
        with subprocess.Popen([PLAIT, "run", "-q", "--mpi", "openmpi", "-o", "r", "--", "sh", "-c",
                               script], stdout=subprocess.PIPE, cwd=self.path,
                              env=self.env) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(LIMIT_S), 7)


class Refusals(PlaitTest):
    """group: refusals"""

    def test_no_program(self):
        self.one_error_line(self.run_plait("--"), "no program to run")
        self.one_error_line(self.run_plait("--", MPIEXEC, "-n", 2), "there is no program")

    def test_a_missing_program(self):
        self.one_error_line(self.run_plait("--", MPIEXEC, "-n", 2, "./nothing"), "./nothing",
                            "not found")
        self.assertFalse((self.path / "plait-runs").exists())

    def test_a_static_mpi(self):
        self.one_error_line(self.run_plait("--", MPIEXEC, "-n", 2, STATIC_MPI), "statically",
                            "link it with the shared MPI")

    def test_an_output_folder_in_use(self):
        self.run_plait("-q", "-o", "r", "--", MPIEXEC, "-n", 1, ACTOR)
        self.one_error_line(self.run_plait("-o", "r", "--", MPIEXEC, "-n", 1, ACTOR),
                            "not empty", "--output")

    def test_an_output_folder_that_cannot_be_made(self):
        self.one_error_line(self.run_plait("-o", "/proc/r", "--", MPIEXEC, "-n", 1, ACTOR),
                            "/proc/r", "--output")

    def test_a_missing_machine_file(self):
        self.one_error_line(
            self.run_plait("-m", "no.json", "--", MPIEXEC, "-n", 1, ACTOR), "no.json")


class Inside(PlaitTest):
    """group: inside"""

    def test_ranks_inside_a_launcher_share_one_directory_and_one_report(self):
        result = self.command(MPIEXEC, "-n", 2, PLAIT, "run", ACTOR, "hello")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(result.stdout.splitlines()),
                         [b"rank 0 of 2, 1 threads", b"rank 1 of 2, 1 threads"])
        runs = list((self.path / "plait-runs").iterdir())
        self.assertEqual(len(runs), 1)
        run = json.loads((runs[0] / "run.json").read_text())
        self.assertEqual(run["state"], "finished")
        self.assertTrue(run["inside_launcher"])
        self.assertEqual(run["ranks"], 2)
        profile = json.loads((runs[0] / "profile.json").read_text())
        self.assertEqual(len(profile["ranks"]), 2)
        self.assertEqual(result.stderr.decode().lower().count("\nnext:"), 1, result.stderr)

    def test_the_output_folder_may_be_given(self):
        result = self.command(MPIEXEC, "-n", 2, PLAIT, "run", "-q", "-o", "r", ACTOR, "exit", 3)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(self.run_file()["exit_code"], 3)
        again = self.command(MPIEXEC, "-n", 2, PLAIT, "run", "-q", "-o", "r", ACTOR)
        self.assertNotEqual(again.returncode, 0)
        self.assertIn(b"belongs to another run", again.stderr)


class Traces(PlaitTest):
    """group: traces"""

    def traced(self, *arguments, times=100, action="exchange"):
        return self.run_plait("-o", "r", *arguments, "--", MPIEXEC, "-n", 2, ACTOR, action, times)

    def packed(self, ranks):
        """Each rank has its packed file, and no raw one is left."""
        names = sorted(file.name for file in (self.path / "r" / "trace").iterdir())
        self.assertEqual(names, [f"{rank}.ptrace" for rank in range(ranks)])
        self.assertEqual(list((self.path / "r" / "records").glob("*.evt")), [])

    def test_events_are_packed_and_their_size_is_printed(self):
        result = self.traced("--trace")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.packed(2)
        self.assertRegex(result.stderr,
                         rb"Trace: \d+ events, [\d.]+ KiB \([\d.]+ B per event\)")
        report = self.command(PLAIT, "report", "r")
        self.assertEqual(report.returncode, 0, report.stderr)

    def test_without_it_there_is_no_trace(self):
        self.traced()
        self.assertFalse((self.path / "r" / "trace").exists())

    def test_a_ring_keeps_the_last_events(self):
        result = self.traced("--trace=ring", "--trace-limit", "1MiB", times=60000,
                             action="exchange_alone")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.packed(2)
        self.assertIn(b"the trace has only the last events", result.stderr)

    def test_a_full_trace_reports_events_lost_at_its_limit(self):
        result = self.traced("--trace", "--trace-limit", "1MiB", times=60000,
                             action="exchange_alone")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.packed(2)
        self.assertRegex(result.stderr,
                         rb"the trace reached its limit: the last \d+ events are missing")

    def test_a_killed_runs_events_are_packed(self):
        self.traced("--trace", action="exchange_and_die")
        self.packed(2)

    def test_ranks_inside_a_launcher_share_one_trace(self):
        result = self.command(MPIEXEC, "-n", 2, PLAIT, "run", "--trace", "--spool", "fast", "-o",
                              "r", ACTOR, "exchange", 100)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.packed(2)
        self.assertEqual(result.stderr.count(b"B per event"), 1)

    def test_a_limit_without_unit_is_refused(self):
        self.one_error_line(self.traced("--trace", "--trace-limit", "5"), "5: not a size", "2GiB")
        self.assertFalse((self.path / "r").exists())


class Placement(PlaitTest):
    """group: placement"""

    def where(self, *arguments, threads):
        result = self.command(PLAIT, "where", "--json", "--", *arguments,
                              env={"OMP_NUM_THREADS": str(threads)})
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    @staticmethod
    def faults(seen):
        """Findings about other jobs on this machine are ignored."""
        return [finding for finding in seen["findings"]
                if finding["id"] != "foreign_processes"]

    def fixed(self, finding):
        arguments = finding["mended_command"]
        self.assertTrue(arguments, finding)
        return self.where(*arguments, threads=2)

    def cores(self):
        return len(os.sched_getaffinity(0))

    def test_all_threads_on_one_core_is_found_and_fixed(self):
        if self.cores() < 2:
            self.skipTest("needs two cores")
        for ranks in (1, 2):
            arguments = [MPIEXEC, "-n", str(ranks)]
            version = self.command(MPIEXEC, "--version").stdout
            if b"HYDRA" in version:
                arguments += ["-bind-to", "core:1"]
            seen = self.where(*arguments, ACTOR, threads=2)
            faults = self.faults(seen)
            self.assertTrue(faults, seen)
            self.assertEqual(faults[0]["id"], "threads_on_one_core")
            self.assertEqual(len(seen["threads"]), 2 * ranks)
            after = self.fixed(faults[0])
            self.assertEqual([f for f in self.faults(after) if f["severity"] != "low"], [], after)

    def test_where_prints_only_the_table_and_the_judgement(self):
        result = self.command(PLAIT, "where", "--", MPIEXEC, "-n", 1, ACTOR, "hello")
        lines = result.stdout.decode().splitlines()
        self.assertEqual(lines[0].split(), ["host", "rank", "thread", "core", "NUMA", "cpus"])
        self.assertNotIn(b"rank 0 of 1", result.stdout)
        self.assertEqual([entry.name for entry in self.path.iterdir()], [])

    def test_where_shares_the_exit_code(self):
        result = self.command(PLAIT, "where", "--", MPIEXEC, "-n", 1, ACTOR, "exit", 4)
        self.assertEqual(result.returncode, 4)


if __name__ == "__main__":
    run_chosen_group()
