// SPDX-License-Identifier: BSD-3-Clause
// Steps under every schedule, with 1, 2 and 3 threads per rank, equal a serial loop bit for bit.
#include <omp.h>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include "jacobi_case.hpp"
#include "plait/environment.hpp"

namespace {

using plait::Schedule;
using plait::test::Case;
using plait::test::Ends;
using plait::test::SerialJacobi;

/// True if partitioned communication works with this MPI.
bool partitioned_works(Case& problem) {
  try {
    const plait::Stepper stepper(problem.halo(), Schedule(plait::ScheduleKind::partitioned));
    return true;
  } catch (const plait::CollectiveError& error) {
    if (problem.grid().rank() == 0) std::printf("%s\n", error.what());
    return false;
  }
}

/// Every kind (of automatic the first steps, which measure), every way to wait, every communicator,
/// and blocks that do not divide the boxes.
std::vector<std::string> schedules(int ranks, bool partitioned) {
  std::vector<std::string> all{
      "blocking",
      "blocking,wait=yield",
      "nonblocking",
      "nonblocking,wait=sleep,poll=30us,block=5x2x3",
      "polled",
      "polled,block=0x2x2",
      "comm_thread",
      "comm_thread,communicator=team_thread,wait=sleep,block=4x0x2",
      "comm_thread,communicator=extra_thread",
      "comm_thread,communicator=extra_thread,wait=yield",
      "tasks",
      "tasks,wait=yield,block=4x3x2",
      "grains",
      "grains,wait=yield,block=4x3x2",
      "automatic",
  };
  // With more ranks than cores, spinning inside MPI costs a time slice per message.
  if (ranks <= 2) {
    all.emplace_back("blocking,wait=spin");
    all.emplace_back("comm_thread,wait=spin");
    all.emplace_back("comm_thread,communicator=extra_thread,wait=spin");
  }
  if (partitioned) all.emplace_back("partitioned");
  return all;
}

class Test {
public:
  explicit Test(const plait::Environment& environment) : rank_(environment.rank()) {}

  /// Three steps by step() and three by advance() under each schedule and with each team.
  void run(const plait::Int3& cells, Ends ends, plait::Packing packing,
           std::initializer_list<int> teams) {
    Case problem(cells, ends, packing);
    SerialJacobi reference(cells, ends);
    for (int step = 0; step < steps; ++step) reference.step();
    omp_set_num_threads(1);
    const bool partitioned = partitioned_works(problem);
    for (const int threads : teams) {
      omp_set_num_threads(threads);
      for (const std::string& name : schedules(problem.grid().size(), partitioned)) {
        plait::Stepper stepper(problem.halo(), Schedule::parse(name));
        problem.reset();
        for (int step = 0; step < steps; ++step) problem.step(stepper);
        judge(problem, reference, name + " step " + to_string(ends), threads);
        problem.reset();
        for (int step = 0; step < steps; ++step) problem.advance(stepper);
        judge(problem, reference, name + " advance " + to_string(ends), threads);
      }
    }
  }

  /// Collective.
  [[nodiscard]] int result() {
    MPI_Allreduce(MPI_IN_PLACE, &failures_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank_ == 0 && failures_ == 0) std::printf("%d comparisons, all equal\n", comparisons_);
    return failures_ == 0 ? 0 : 1;
  }

private:
  static constexpr int steps = 3;

  void judge(const Case& problem, const SerialJacobi& reference, const std::string& what,
             int threads) {
    const std::int64_t differing = problem.differences(reference);
    ++comparisons_;
    if (differing == 0) return;
    ++failures_;
    std::printf("FAILED: rank %d, %s, %d threads: %lld cells differ\n", rank_, what.c_str(),
                threads, static_cast<long long>(differing));
  }

  int rank_;
  int comparisons_ = 0;
  int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("equality_test", [&] {
    Test test(environment);
    using plait::Packing;
    test.run({13, 11, 9}, Ends::fixed, Packing::threads, {1, 2, 3});
    test.run({13, 11, 9}, Ends::periodic, Packing::datatypes, {1, 2, 3});
    test.run({7, 10, 17}, Ends::mirror, Packing::threads, {1, 2, 3});
    // Boxes of one or two cells have no interior.
    test.run({4, 5, 8}, Ends::periodic, Packing::threads, {2});
    return test.result();
  });
}
