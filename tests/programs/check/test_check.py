# SPDX-License-Identifier: BSD-3-Clause
"""plait check on programs with one defect each, and on correct ones.

Environment: PLAIT, MPIEXEC; DEFECTS, CORRECT, GROUPS, ERRORS, TYPES, IDIOMS: programs of this
folder;
OPENMPI=1 for Open MPI's launcher options; CALLS, JACOBI, HEAT: further correct programs, where they
were built.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PLAIT = os.environ["PLAIT"]
MPIEXEC = os.environ["MPIEXEC"]
DEFECTS = os.environ["DEFECTS"]
CORRECT = os.environ["CORRECT"]
GROUPS = os.environ["GROUPS"]
ERRORS = os.environ["ERRORS"]
TYPES = os.environ["TYPES"]
IDIOMS = os.environ["IDIOMS"]
LIMIT_S = 90  # per command; the tests do not depend on it, it only ends what hangs
FINDINGS_EXIT = 3
LAUNCHER_OPTIONS = ["--oversubscribe", "--bind-to", "none"] if os.environ.get("OPENMPI") else []


def launched(ranks, *program):
    return [MPIEXEC, "-n", str(ranks), *LAUNCHER_OPTIONS, *[str(argument) for argument in program]]


class Checked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="plait-check-test-")
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def check(self, command, options=(), environment=None):
        """The result of plait check, and what it printed."""
        stall = [] if "--stall" in options else ["--stall", "0.3"]
        done = subprocess.run([PLAIT, "check", "-o", "r", *stall, *options, "--", *command],
                              capture_output=True, cwd=self.path, timeout=LIMIT_S,
                              env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})})
        text = done.stderr.decode(errors="replace")
        file = self.path / "r" / "check.json"
        self.assertTrue(file.is_file(), text)
        return done.returncode, json.loads(file.read_text()), text

    def one_finding(self, defect, kind, function, ranks=None, of=2, options=()):
        """Exactly one finding, of that kind; a place of it has the function and the ranks."""
        code, result, text = self.check(launched(of, DEFECTS, defect), options)
        self.assertEqual([finding["kind"] for finding in result["findings"]], [kind], text)
        # The library may end the program because of the defect.
        aborted = result["ended_by"] == "itself" and result["exit_code"] != 0
        self.assertEqual(code, result["exit_code"] if aborted else FINDINGS_EXIT, text)
        self.assertEqual(code, result["plait_exit_code"], text)
        finding = result["findings"][0]
        places = [place for place in finding["places"] if place["function"] == function]
        self.assertTrue(places, text)
        if ranks is not None:
            named = sorted({rank for place in places for rank in place["ranks"]})
            self.assertEqual(named, ranks, text)
        frames = [frame for place in places for frame in place["frames"]]
        self.assertIn("main", {frame["function"] for frame in frames}, text)
        self.assertTrue(any(frame["file"].endswith("defects.c") and frame["line"] > 0
                            for frame in frames), text)
        self.assertIn("defects.c:", text)
        self.assertTrue(finding["remedy"])
        return result, text

    def no_finding(self, command, options=(), environment=None):
        code, result, text = self.check(command, options, environment)
        self.assertEqual(result["findings"], [], text)
        self.assertEqual(result["warnings"], [], text)
        self.assertEqual(code, 0, text)
        self.assertGreater(result["operations"], 0, text)
        return result

    def one_warning(self, defect, kind, ranks, functions, of=3):
        """Exactly one warning, of that kind, whose places have these ranks and functions."""
        code, result, text = self.check(launched(of, DEFECTS, defect))
        self.assertEqual((code, result["findings"]), (0, []), text)
        self.assertEqual([warning["kind"] for warning in result["warnings"]], [kind], text)
        places = result["warnings"][0]["places"]
        self.assertEqual([place["ranks"] for place in places], [[rank] for rank in ranks], text)
        self.assertEqual([place["function"] for place in places], functions, text)
        return result, text


class Deadlocks(Checked):
    """group: deadlocks"""

    def test_a_ring_that_receives_first_is_reported_with_all_its_ranks(self):
        result, text = self.one_finding("deadlock_receive", "deadlock", "MPI_Recv", [0, 1, 2], of=3)
        self.assertEqual(result["ended_by"], "plait")
        self.assertIn("ranks 0, 1 and 2 wait for each other", text)

    def test_a_ring_that_sends_synchronously_first_is_reported(self):
        self.one_finding("deadlock_send", "deadlock", "MPI_Ssend", [0, 1])

    def test_ranks_that_all_receive_from_any_source_are_reported(self):
        self.one_finding("deadlock_any_source", "deadlock", "MPI_Recv", [0, 1, 2], of=3)

    def test_a_receive_against_a_barrier_is_reported(self):
        self.one_finding("deadlock_barrier", "deadlock", "MPI_Barrier", [1])

    def test_a_message_from_a_rank_that_has_ended_is_waited_for_in_vain(self):
        self.one_finding("deadlock_ended", "deadlock", "MPI_Recv", [0])

    def test_a_barrier_that_a_rank_leaves_out_is_missing(self):
        result, _ = self.one_finding("missing_barrier", "collective_missing", "MPI_Barrier", [0, 2],
                                     of=3)
        self.assertEqual(result["ended_by"], "plait")
        self.assertIn("not called by rank 1", result["findings"][0]["what"])

    def test_two_ranks_are_reported_while_others_compute(self):
        self.one_finding("deadlock_of_two", "deadlock", "MPI_Recv", [0, 1], of=3)

    def test_within_a_launcher_the_deadlock_is_reported_once(self):
        done = subprocess.run(launched(2, PLAIT, "check", "--stall", "0.3", "-o", "r", DEFECTS,
                                       "deadlock_receive"),
                              capture_output=True, cwd=self.path, timeout=LIMIT_S)
        text = done.stderr.decode(errors="replace")
        self.assertNotEqual(done.returncode, 0, text)
        self.assertIn("ranks 0 and 1 wait for each other", text)

    def test_the_time_limit_also_reports_the_deadlock(self):
        for limit_s in (2, 30):  # on a busy machine, ranks may not be in the receive after 2 s
            self.tearDown()
            self.setUp()
            _, result, text = self.check(launched(2, DEFECTS, "deadlock_receive"),
                                         ["--stall", "1000", "--time-limit", str(limit_s)])
            self.assertEqual(result["ended_by"], "time_limit", text)
            if result["findings"]:
                break
        self.assertEqual([finding["kind"] for finding in result["findings"]], ["deadlock"], text)
        ranks = {rank for place in result["findings"][0]["places"] for rank in place["ranks"]}
        self.assertEqual(ranks, {0, 1}, text)


class Polls(Checked):
    """group: polls"""

    def test_ranks_that_test_for_messages_that_no_rank_sends(self):
        result, text = self.one_finding("polls_test", "deadlock", "MPI_Test", [0, 1])
        self.assertEqual(result["ended_by"], "plait")
        self.assertIn("polls for rank 1", text)

    def test_a_rank_that_probes_for_a_message_of_ranks_that_wait_for_it(self):
        result, text = self.one_finding("polls_probe", "deadlock", "MPI_Iprobe", [0])
        self.assertEqual(result["ended_by"], "plait")
        self.assertIn("polls for any of ranks 0 and 1", text)


class Warnings(Checked):
    """group: warnings"""

    def test_a_ring_that_sends_first_is_saved_by_buffers(self):
        result, text = self.one_warning("unsafe_ring", "unsafe_send", [0, 1, 2], ["MPI_Send"] * 3)
        self.assertEqual(result["warnings"][0]["count"], 5)
        self.assertEqual(result["warnings"][0]["what"],
                         "Without buffered messages, ranks 0, 1 and 2 would wait for each other",
                         text)

    def test_messages_across_a_barrier_are_saved_by_buffers(self):
        self.one_warning("unsafe_barrier", "unsafe_send", [0, 1], ["MPI_Send"] * 2)

    def test_a_race_for_the_message_of_a_later_receive(self):
        self.one_warning("race_for_named", "message_race", [0, 2, 1, 0],
                         ["MPI_Recv", "MPI_Send", "MPI_Send", "MPI_Recv"])

    def test_a_race_of_messages_of_which_one_does_not_fit(self):
        result, _ = self.one_warning("race_for_room", "message_race", [0, 2, 1, 0],
                                     ["MPI_Recv", "MPI_Send", "MPI_Send", "MPI_Recv"])
        self.assertIn("which does not fit", result["warnings"][0]["what"])

    def test_a_race_between_rounds(self):
        code, result, text = self.check(launched(3, DEFECTS, "race_of_phases"))
        self.assertEqual((code, result["findings"]), (0, []), text)
        self.assertEqual({warning["kind"] for warning in result["warnings"]}, {"message_race"},
                         text)


class Messages(Checked):
    """group: messages"""

    def test_different_types_of_equal_bytes_are_a_mismatch(self):
        result, text = self.one_finding("type_mismatch", "type_mismatch", "MPI_Send", [0])
        self.assertIn("1 MPI_DOUBLE and received as 2 MPI_INT", text)
        self.assertEqual(result["findings"][0]["places"][1]["ranks"], [1])

    def test_structures_are_compared_by_element(self):
        _, text = self.one_finding("type_mismatch_struct", "type_mismatch", "MPI_Irecv", [1])
        self.assertIn("{2 MPI_INT, MPI_DOUBLE}", text)

    def test_a_truncated_receive_is_reported_even_if_mpi_ends_the_job(self):
        result, _ = self.one_finding("truncated_receive", "truncated_receive", "MPI_Recv", [1])
        self.assertNotEqual(result["exit_code"], 0)

    def test_a_truncated_receive_is_reported_if_mpi_returns_the_error(self):
        self.one_finding("truncated_receive_returns", "truncated_receive", "MPI_Send", [0])

    def test_a_truncated_request_is_no_leak_too(self):
        self.one_finding("truncated_request", "truncated_receive", "MPI_Irecv", [1])

    def test_a_message_that_nobody_receives_is_reported(self):
        self.one_finding("unreceived_message", "unreceived_message", "MPI_Send", [0])

    def test_messages_of_several_ranks_name_the_rank_of_which_they_speak(self):
        result, text = self.one_finding("unreceived_by_all", "unreceived_message", "MPI_Send",
                                        [0, 1, 2], of=3)
        named = re.search(r"\(rank (\d): 1 MPI_INT to rank (\d), tag 7",
                          result["findings"][0]["places"][0]["detail"])
        self.assertEqual((int(named[1]) + 1) % 3, int(named[2]), text)

    def test_a_send_buffer_that_changes_in_flight_is_reported_on_request(self):
        self.one_finding("buffer_changed", "buffer_changed", "MPI_Isend", [0],
                         options=["--buffers"])
        self.tearDown()
        self.setUp()
        self.no_finding(launched(2, DEFECTS, "buffer_changed"))

    def test_buffers_that_overlap_are_reported_on_request(self):
        self.one_finding("buffer_overlap", "buffer_overlap", "MPI_Irecv", [0],
                         options=["--buffers"])


class Collectives(Checked):
    """group: collectives"""

    def test_different_functions_are_reported(self):
        self.one_finding("collective_kind", "collective_kind", "MPI_Barrier", [1, 2], of=3)

    def test_different_roots_are_reported(self):
        self.one_finding("collective_root", "collective_root", "MPI_Reduce", [0, 1])

    def test_different_operations_are_reported(self):
        result, _ = self.one_finding("collective_operation", "collective_operation",
                                     "MPI_Allreduce", [0, 1])
        details = [place["detail"] for place in result["findings"][0]["places"]]
        self.assertEqual(details, ["with MPI_MAX on MPI_COMM_WORLD",
                                   "with MPI_SUM on MPI_COMM_WORLD"])

    def test_different_counts_are_reported(self):
        self.one_finding("collective_count", "collective_count", "MPI_Bcast", [0, 1])

    def test_a_call_that_returns_the_error_begins_no_request(self):
        self.one_finding("truncated_at_once", "collective_count", "MPI_Igather", [0])

    def test_a_hang_by_different_counts_ends_by_itself(self):
        result, _ = self.one_finding("collective_count_hangs", "collective_count",
                                     "MPI_Allreduce", of=3)
        self.assertIn("never completed it", result["findings"][0]["what"])

    def test_different_types_are_reported(self):
        self.one_finding("collective_type", "collective_type", "MPI_Bcast", [0, 1])

    def test_counts_of_one_partner_are_compared(self):
        self.one_finding("collective_count_v", "collective_count", "MPI_Gatherv", [0, 1])


class Leaks(Checked):
    """group: leaks"""

    def test_a_request_that_is_never_completed(self):
        self.one_finding("request_leak", "request_leak", "MPI_Isend", [0])

    def test_a_persistent_request(self):
        self.one_finding("persistent_leak", "request_leak", "MPI_Send_init", [0])

    def test_a_communicator(self):
        self.one_finding("communicator_leak", "communicator_leak", "MPI_Comm_dup", [0, 1])

    def test_a_datatype(self):
        self.one_finding("datatype_leak", "datatype_leak", "MPI_Type_contiguous", [0, 1])

    def test_one_leak_on_several_paths_is_one_finding(self):
        result, text = self.one_finding("leak_on_paths", "datatype_leak", "MPI_Type_contiguous",
                                        [0, 1])
        self.assertEqual(result["findings"][0]["count"], 7, text)
        self.assertGreater(len(result["findings"][0]["places"]), 1, text)

    def test_a_group(self):
        self.one_finding("group_leak", "group_leak", "MPI_Comm_group", [0])

    def test_a_window(self):
        self.one_finding("window_leak", "window_leak", "MPI_Win_create", [0, 1])


class Times(Checked):
    """group: times"""

    def test_a_call_after_finalize(self):
        self.one_finding("after_finalize", "after_finalize", "MPI_Comm_rank", [1])

    def test_a_thread_that_the_thread_level_forbids(self):
        code, result, text = self.check(launched(2, DEFECTS, "thread_level"))
        kinds = [finding["kind"] for finding in result["findings"]]
        self.assertEqual(kinds, ["thread_level"], text)
        place = result["findings"][0]["places"][0]
        self.assertEqual((place["ranks"], place["function"]), ([1], "MPI_Sendrecv"), text)
        self.assertEqual(place["frames"][0]["function"], "send_to_self")
        self.assertEqual(code, FINDINGS_EXIT)

    def test_threads_inside_mpi_at_the_same_time(self):
        code, result, text = self.check(launched(2, DEFECTS, "threads_at_a_time"))
        kinds = {finding["kind"] for finding in result["findings"]}
        self.assertEqual(kinds, {"thread_level"}, text)
        places = [place for finding in result["findings"] for place in finding["places"]]
        self.assertEqual({tuple(place["ranks"]) for place in places}, {(0,)}, text)
        self.assertIn("ask_in_between", {place["frames"][0]["function"] for place in places}, text)
        self.assertEqual(code, FINDINGS_EXIT)

    def test_the_exit_code_of_a_program_without_findings_passes_through(self):
        code, result, text = self.check(launched(2, CORRECT, "no such case"))
        self.assertEqual(result["findings"], [], text)
        self.assertNotEqual(code, 0)
        self.assertEqual(code, result["exit_code"])


class Exits(Checked):
    """group: exits"""

    def code_of(self, program, *arguments):
        code, result, text = self.check(launched(2, program, *arguments))
        self.assertEqual(code, result["plait_exit_code"], text)
        return code, result["exit_code"], len(result["findings"])

    def test_a_program_with_findings_keeps_its_exit_code(self):
        self.assertEqual(self.code_of(DEFECTS, "communicator_leak", "7"), (7, 7, 1))

    def test_findings_of_a_program_that_ended_well_have_theirs(self):
        self.assertEqual(self.code_of(DEFECTS, "communicator_leak"), (FINDINGS_EXIT, 0, 1))

    def test_the_code_of_findings_may_be_that_of_the_program(self):
        self.assertEqual(self.code_of(DEFECTS, "communicator_leak", "3"), (3, 3, 1))
        self.tearDown()
        self.setUp()
        self.assertEqual(self.code_of(DEFECTS, "none", "3"), (3, 3, 0))


class CorrectPrograms(Checked):
    """group: correct"""

    def test_a_ring_under_any_source(self):
        self.no_finding(launched(3, CORRECT, "ring_any_source"), ["--buffers"])

    def test_waiting_for_one_that_computes(self):
        result = self.no_finding(launched(3, CORRECT, "one_computes"))
        self.assertEqual(result["ended_by"], "itself")

    def test_equal_signatures_of_other_layouts(self):
        self.no_finding(launched(2, CORRECT, "equal_signatures"), ["--buffers"])

    def test_what_attributes_free_within_finalize(self):
        code, result, text = self.check(launched(2, CORRECT, "kept_in_attribute"))
        self.assertEqual((code, result["findings"]), (0, []), text)

    def test_requests_of_all_kinds(self):
        self.no_finding(launched(3, CORRECT, "requests"), ["--buffers"])

    def test_a_thread_that_serves_the_others(self):
        self.no_finding(launched(2, CORRECT, "served_by_a_thread"))

    def test_a_process_that_forks(self):
        _, result, text = self.check(launched(2, CORRECT, "forks"))
        self.assertEqual(result["findings"], [], text)

    def test_wildcards_before_named_receives(self):
        self.no_finding(launched(3, CORRECT, "mixed_wildcards"))

    def test_a_rank_that_polls_seldom_because_it_yields(self):
        self.no_finding(launched(2, CORRECT, "seldom_polls"), ["--stall", "0.1"])


class Idioms(Checked):
    """group: idioms"""

    def test_more_than_thirty_short_programs(self):
        result = self.no_finding(launched(3, IDIOMS))
        self.assertEqual(result["ended_by"], "itself")
        self.assertEqual([note for note in result["notes"] if "not judged: whether" not in note],
                         [])

    def test_one_sided_communication(self):
        self.no_finding(launched(3, IDIOMS, "windows"))


class Groups(Checked):
    """group: groups"""

    def test_a_broadcast_whose_other_group_comes_late(self):
        result = self.no_finding(launched(3, GROUPS, "late_broadcast"))
        self.assertEqual(result["ended_by"], "itself")

    def test_collective_calls_with_a_root(self):
        self.no_finding(launched(3, GROUPS, "rooted", "rooted_without_arguments"))

    def test_nonblocking_and_persistent_ones(self):
        self.no_finding(launched(3, GROUPS, "nonblocking", "persistent"))

    def test_those_without_a_root_and_communicators_made_of_two_groups(self):
        self.no_finding(launched(3, GROUPS, "without_root", "made_of_it"))


class Errors(Checked):
    """group: errors"""

    def correct(self, case):
        return self.no_finding(launched(2, ERRORS, case))

    def refused(self, case, functions):
        """Calls that MPI refuses, and the program makes again, have no other consequences."""
        code, result, text = self.check(launched(2, ERRORS, case))
        self.assertEqual({finding["kind"] for finding in result["findings"]},
                         {"invalid_argument"}, text)
        self.assertEqual(sorted(finding["places"][0]["function"]
                                for finding in result["findings"]), functions, text)
        self.assertEqual(code, 3, text)

    def test_a_duplication_that_fails_at_once(self):
        self.correct("duplication_fails")

    def test_a_duplication_that_fails_when_its_request_ends(self):
        self.correct("identifiers_run_out")

    def test_a_handle_that_cannot_be_freed(self):
        self.refused("freeing_fails", ["MPI_Comm_free"])

    def test_arguments_that_one_rank_corrects(self):
        self.refused("refused_arguments",
                     ["MPI_Bcast", "MPI_Cart_create", "MPI_Mrecv", "MPI_Reduce", "MPI_Send"])

    def test_failures_that_error_handlers_turn_into_successes(self):
        self.refused("forgiving_handlers", ["MPI_Irecv", "MPI_Recv_init"])

    def test_receives_that_may_have_been_cancelled(self):
        self.assertTrue(self.correct("cancelled_and_freed")["notes"])

    def test_persistent_requests_whose_handles_change(self):
        self.correct("persistent_buffered")

    def test_requests_that_are_moved(self):
        self.correct("moved_requests")

    def test_exchanges_with_any_source(self):
        self.correct("exchange_with_any")

    def test_partners_that_are_nobody(self):
        self.correct("nobody_and_nothing")

    def test_generalized_requests(self):
        self.correct("generalized")

    def test_the_types_of_a_view(self):
        self.correct("file_view")

    def test_windows_that_the_library_cannot_make(self):
        self.no_finding(launched(2, ERRORS, "windows_unavailable"),
                        environment={"OMPI_MCA_osc": "sm"})


class Types(Checked):
    """group: types"""

    def compared(self, case):
        """Equal types are no finding, and without a note; others are found."""
        result = self.no_finding(launched(2, TYPES, case))
        self.assertEqual(result["notes"], [])
        self.tearDown()
        self.setUp()
        code, result, text = self.check(launched(2, TYPES, case, "mismatch"))
        self.assertEqual([f["kind"] for f in result["findings"]], ["type_mismatch"], text)
        self.assertEqual(code, FINDINGS_EXIT, text)

    def test_thousands_of_signatures(self):
        self.compared("many")

    def test_types_nested_to_a_depth(self):
        self.compared("deep")

    def test_parts_that_were_freed(self):
        self.compared("freed")

    def test_a_part_of_a_long_signature(self):
        self.compared("long_signature")

    def test_pairs_and_renamed_types(self):
        self.compared("equal")

    def test_types_made_with_large_counts(self):
        self.no_finding(launched(2, TYPES, "large_counts"))

    def test_a_file_that_is_full_is_reported(self):
        _, result, text = self.check(launched(2, TYPES, "many", "mismatch"),
                                     environment={"PLAIT_CHECK_LIMIT": "1000000"})
        self.assertEqual(result["findings"], [], text)
        self.assertEqual(len([n for n in result["notes"] if "more calls than fit" in n]), 2, text)


class Suite(Checked):
    """group: suite"""

    @unittest.skipUnless(os.environ.get("CALLS"), "the program is not built")
    def test_the_program_of_all_calls(self):
        self.no_finding(launched(2, os.environ["CALLS"]), ["--buffers"])

    @unittest.skipUnless(os.environ.get("JACOBI"), "the program is not built")
    def test_plait_jacobi(self):
        self.no_finding(launched(2, os.environ["JACOBI"], "--size", "24", "--steps", "20"),
                        ["--buffers"])

    @unittest.skipUnless(os.environ.get("HEAT"), "the program is not built")
    def test_the_heat_example(self):
        self.no_finding(launched(2, os.environ["HEAT"]))


def tests_of(group):
    """The tests of the class whose docstring names the group."""
    for known in list(globals().values()):
        if isinstance(known, type) and (known.__doc__ or "").startswith(f"group: {group}"):
            return unittest.defaultTestLoader.loadTestsFromTestCase(known)
    raise SystemExit(f"no group {group}")


if __name__ == "__main__":
    wanted = sys.argv[1]
    outcome = unittest.TextTestRunner(verbosity=2).run(tests_of(wanted))
    sys.exit(not outcome.wasSuccessful())
