// SPDX-License-Identifier: BSD-3-Clause
// One rank of the probe: goes through the plan's steps with the others.
#pragma once

#include <random>
#include <vector>

#include "measure/pages.hpp"
#include "measure/probe_plan.hpp"
#include "mpi_library.hpp"
#include "rank_file.hpp"
#include "task.hpp"

namespace plait::measure {

/// A rank with its buffers. All ranks call the same functions in the same order.
class ProbeRank {
public:
  /// @param rank     in the plan's order
  /// @param world    all ranks in that order
  /// @param allowed  hardware threads that the launcher left to this rank
  ProbeRank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, MPI_Comm world,
            std::vector<int> allowed, RankFile& file);

  /// Takes part in a step, or sleeps until it is over. Collective.
  void run_step(std::size_t index);

private:
  /// What the leader tells the others of its step to do next.
  struct Order {
    int cell = -1;  ///< index of the size; -1: the step is over
    int repetitions = 0;
  };

  void lead(std::size_t index, const TaskContext& context);
  void follow(const TaskContext& context);
  /// Sends known data both ways; complains in the rank's file when others arrive.
  void check_data(const TaskContext& context);
  void sleep_until_all_are_here();

  const MpiLibrary& mpi_;
  const ProbePlan& plan_;
  RankFile& file_;
  int rank_;
  MPI_Comm world_;
  std::vector<int> allowed_;
  std::mt19937 random_;
  Pages send_;
  Pages receive_;
};

}  // namespace plait::measure
