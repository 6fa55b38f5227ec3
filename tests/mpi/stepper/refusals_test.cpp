// SPDX-License-Identifier: BSD-3-Clause
// Steppers report errors on every rank alike: a thread level that MPI has not granted, schedules
// that differ between ranks, and in verify mode wrong ghosts.
#include <mpi.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "jacobi_case.hpp"
#include "plait/environment.hpp"

namespace {

using plait::Schedule;
using plait::ScheduleKind;
using plait::test::Case;
using plait::test::Ends;

int failures = 0;

void expect(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

/// `body` throws a CollectiveError with all of these texts, on this rank and thus on all.
void expect_refusal(const std::function<void()>& body, const std::vector<std::string>& texts) {
  std::string message = "nothing was thrown";
  try {
    body();
  } catch (const plait::CollectiveError& error) {
    message = error.what();
  }
  for (const std::string& text : texts) {
    expect(message.find(text) != std::string::npos, "\"" + text + "\" in: " + message);
  }
}

void make(Case& problem, const std::string& schedule) {
  const plait::Stepper stepper(problem.halo(), Schedule::parse(schedule));
}

/// Runs in a program that has called only MPI_Init.
void without_threads() {
  if (plait::granted_thread_level() != plait::ThreadLevel::single) {
    std::printf("this MPI grants more than MPI_THREAD_SINGLE without a request\n");
    return;
  }
  Case problem({6, 7, 8}, Ends::periodic, plait::Packing::threads);
  omp_set_num_threads(1);
  for (const char* schedule :
       {"blocking", "nonblocking", "polled", "tasks", "grains", "automatic"}) {
    make(problem, schedule);
  }
  expect_refusal([&] { make(problem, "comm_thread"); },
                 {"rank 0", "comm_thread", "needs MPI_THREAD_SERIALIZED",
                  "granted MPI_THREAD_SINGLE", "plait::Environment", "MPI_Init_thread"});
  omp_set_num_threads(2);
  for (const plait::ScheduleKind kind : plait::schedule_kinds()) {
    if (kind == ScheduleKind::partitioned) continue;
    expect_refusal([&] { make(problem, to_string(kind)); },
                   {to_string(kind), "needs MPI_THREAD_FUNNELED", "2 threads",
                    "granted MPI_THREAD_SINGLE", "OMP_NUM_THREADS=1"});
  }
  // A team that grows after the stepper was created is refused at the step.
  omp_set_num_threads(1);
  plait::Stepper stepper(problem.halo(), Schedule(ScheduleKind::blocking));
  problem.reset();
  problem.step(stepper);
  omp_set_num_threads(2);
  bool refused = false;
  try {
    problem.step(stepper);
  } catch (const plait::Error&) {
    refused = true;
  }
  expect(refused, "two threads are refused at the step");
  omp_set_num_threads(1);
}

void differing_schedules(int rank) {
  Case problem({6, 7, 8}, Ends::periodic, plait::Packing::threads);
  expect_refusal([&] { make(problem, rank == 1 ? "polled,block=0x2x2" : "polled"); },
                 {"rank 1", "schedule polled,block=0x2x2", "rank 0 has polled", "PLAIT_SCHEDULE"});
}

/// A Schedule with a combination of options that cannot be written as text.
void impossible_schedule(int rank, int ranks) {
  Case problem({6, 7, 8}, Ends::periodic, plait::Packing::threads);
  Schedule schedule(ScheduleKind::polled);
  schedule.wait = plait::Wait::spin;
  if (rank == ranks - 1) schedule.poll = std::chrono::microseconds(50);
  expect_refusal([&] { const plait::Stepper stepper(problem.halo(), schedule); },
                 {"rank " + std::to_string(ranks - 1), "poll=", "leave one of them out"});
}

/// Verify mode is on for all ranks if the environment of one requests it.
void verify_mode_of_one_rank(int rank) {
  if (rank == 0) setenv("PLAIT_VERIFY", "1", 1);  // NOLINT: no other thread runs yet
  Case problem({6, 7, 8}, Ends::periodic, plait::Packing::threads);
  plait::Stepper stepper(problem.halo(), Schedule(ScheduleKind::polled));
  problem.reset();
  problem.step(stepper);
  expect(stepper.verified_exchanges() == 1, "all ranks verify if one requests it");
  unsetenv("PLAIT_VERIFY");  // NOLINT: no other thread runs any more
}

/// Detects an update that writes outside its box, to a ghost that has arrived or a cell that has
/// been sent. A correct update passes.
void verified(int ranks) {
  setenv("PLAIT_VERIFY", "1", 1);  // NOLINT: no other thread runs yet
  for (const char* schedule : {"nonblocking", "comm_thread", "tasks", "grains"}) {
    Case problem({8, 9, 12}, Ends::periodic, plait::Packing::threads);
    plait::Stepper stepper(problem.halo(), Schedule::parse(schedule));
    problem.reset();
    problem.step(stepper);
    problem.step(stepper);
    expect(stepper.verified_exchanges() == 2, "verify mode compares each exchange");
    const auto step_that_changes = [&](const plait::Int3& when, const plait::Int3& cell) {
      return [&problem, &stepper, when, cell] {
        stepper.step(problem.now(), [&](const plait::Box& box) {
          if (box.contains(when)) problem.now()(cell[0], cell[1], cell[2]) += 1;
        });
      };
    };
    // The boundary is updated after the ghosts have arrived.
    expect_refusal(
        step_that_changes({0, 1, 1}, {-1, 1, 1}),
        {"rank ", "exchange 3", schedule, "ghost", "from a blocking", "update() writes only"});
    // The interior is updated after the faces between ranks have been packed; in comm_thread, while
    // the communicating thread packs them.
    const bool packed_before = std::string(schedule) != "comm_thread";
    if (ranks > 1 && packed_before)
      expect_refusal(step_that_changes({2, 2, 2}, {1, 1, 0}), {"exchange 4"});
  }
  unsetenv("PLAIT_VERIFY");  // NOLINT: no other thread runs any more
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc < 2 || std::string(argv[1]) != "without_threads";
  if (!threads) MPI_Init(&argc, &argv);
  int result = 1;
  {
    plait::Environment environment(argc, argv);
    result = plait::guarded("refusals_test", [&] {
      if (threads) {
        omp_set_num_threads(2);
        if (environment.size() > 1) differing_schedules(environment.rank());
        impossible_schedule(environment.rank(), environment.size());
        verify_mode_of_one_rank(environment.rank());
        verified(environment.size());
      } else {
        without_threads();
      }
      MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      if (environment.rank() == 0 && failures == 0) std::printf("all expectations held\n");
      return failures == 0 ? 0 : 1;
    });
  }
  if (!threads) MPI_Finalize();
  return result;
}
