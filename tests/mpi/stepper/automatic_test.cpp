// SPDX-License-Identifier: BSD-3-Clause
// The automatic schedule decides on real steps without changing a bit, and explains itself.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>

#include "jacobi_case.hpp"
#include "plait/environment.hpp"

namespace {

using plait::Schedule;
using plait::ScheduleKind;
using plait::test::Case;
using plait::test::Ends;
using plait::test::SerialJacobi;

int failures = 0;

void expect(bool condition, const std::string& what) {
  if (condition) return;
  ++failures;
  std::printf("FAILED: %s\n", what.c_str());
}

/// At most 80 columns, every kind of schedule, and the same text on every rank.
void check_text(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    expect(line.size() <= 80, "explain() keeps to 80 columns: " + line);
  }
  for (const ScheduleKind kind : plait::schedule_kinds()) {
    if (kind == ScheduleKind::automatic) continue;
    const std::string name = to_string(kind);
    expect(text.find(name) != std::string::npos, "explain() lists " + name);
  }
  std::string first = text;
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(static_cast<std::size_t>(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  expect(first == text, "explain() returns the same text on every rank");
}

/// Runs steps until automatic has decided, and a few more.
void decides(const plait::Int3& cells, Ends ends, int threads, bool by_advance, bool print) {
  omp_set_num_threads(threads);
  Case problem(cells, ends, plait::Packing::threads);
  SerialJacobi reference(cells, ends);
  plait::Stepper stepper(problem.halo(), Schedule(ScheduleKind::automatic));
  problem.reset();
  expect(stepper.deciding() && stepper.schedule().kind == ScheduleKind::blocking,
         "automatic starts with blocking");
  check_text(stepper.explain());
  int more = 5;
  int steps = 0;
  while (more > 0) {
    if (!stepper.deciding()) --more;
    if (by_advance) {
      problem.advance(stepper);
    } else {
      problem.step(stepper);
    }
    reference.step();
    expect(++steps < 20000, "automatic decides eventually");
    if (failures > 0) return;
  }
  expect(problem.differences(reference) == 0, "automatic steps equal the serial loop");
  check_text(stepper.explain());
  expect(stepper.costs().compute_s > 0, "the computation has been timed");
  const auto schedules = stepper.schedules();
  expect(std::ranges::any_of(schedules,
                             [&](const auto& cost) { return cost.schedule == stepper.schedule(); }),
         "schedules() contains the schedule in use");
  if (print) std::printf("%s", stepper.explain().c_str());
}

/// measure() runs each schedule that can run, independent of the stepper's own.
void measures(const plait::Environment& environment) {
  omp_set_num_threads(2);
  const plait::Int3 cells{9, 10, 12};
  Case problem(cells, Ends::periodic, plait::Packing::threads);
  plait::Stepper stepper(problem.halo(), Schedule(ScheduleKind::nonblocking));
  problem.reset();
  stepper.measure(
      problem.now(), [&](const plait::Box& box) { problem.update(box); }, 2);
  for (const plait::ScheduleCost& cost : stepper.schedules()) {
    expect(cost.refused.empty() == (cost.measured_s > 0),
           "measured where not refused: " + to_string(cost.schedule));
    expect(!cost.refused.empty() ||
               (cost.low_s <= cost.predicted_s && cost.predicted_s <= cost.high_s),
           "predicted within the interval: " + to_string(cost.schedule));
  }
  expect(stepper.schedule() == Schedule(ScheduleKind::nonblocking), "measure() changes nothing");
  check_text(stepper.explain());
  if (environment.rank() == 0) std::printf("%s", stepper.explain().c_str());
}

/// If every cell needs a ghost on all ranks, only blocking is measured.
void measures_without_interior(int ranks) {
  omp_set_num_threads(2);
  Case problem({4, 4, 2 * ranks}, Ends::periodic, plait::Packing::threads);
  plait::Stepper stepper(problem.halo(), Schedule(ScheduleKind::automatic));
  problem.reset();
  stepper.measure(
      problem.now(), [&](const plait::Box& box) { problem.update(box); }, 2);
  for (const plait::ScheduleCost& cost : stepper.schedules()) {
    const bool blocking = cost.schedule.kind == ScheduleKind::blocking;
    expect(cost.refused.empty() == blocking && (cost.measured_s > 0) == blocking,
           "without interior: " + to_string(cost.schedule));
  }
  expect(stepper.schedule().kind == ScheduleKind::blocking && !stepper.deciding(),
         "blocking is used where nothing else can run");
  check_text(stepper.explain());
}

}  // namespace

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("automatic_test", [&] {
    const int ranks = environment.size();
    decides({9, 10, 12}, Ends::periodic, 1, false, environment.rank() == 0);
    decides({9, 10, 12}, Ends::mirror, 2, true, environment.rank() == 0);
    // One rank has three cells along z, the others two: only that rank has an interior.
    decides({4, 4, 2 * ranks + 1}, Ends::periodic, 2, false, false);
    // Teams of one thread and of two.
    decides({6, 6, 5 * ranks}, Ends::periodic, 1 + environment.rank() % 2, true, false);
    measures(environment);
    measures_without_interior(ranks);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (environment.rank() == 0 && failures == 0) std::printf("all expectations held\n");
    return failures == 0 ? 0 : 1;
  });
}
