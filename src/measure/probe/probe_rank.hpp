// SPDX-License-Identifier: BSD-3-Clause
// One rank of the probe: goes through the plan's steps with the others.
#pragma once

#include <random>

#include "measure/exchange.hpp"
#include "measure/pages.hpp"
#include "measure/probe_plan.hpp"
#include "mpi_library.hpp"
#include "rank_file.hpp"

namespace plait::measure {

/// A rank with its buffers. All ranks call the same functions in the same order.
class ProbeRank {
public:
  ProbeRank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, RankFile& file);

  /// Takes part in a step, or sleeps until it is over. Collective.
  void run_step(std::size_t index);

private:
  /// What the leader tells the others of its step to do next.
  struct Order {
    int cell = -1;  ///< index of the size; -1: the step is over
    int repetitions = 0;
  };
  struct Role {
    int pairs = 0;
    int place = -1;  ///< rank in the step's communicator; 2 i leads pair i, 2 i + 1 follows
    MPI_Comm comm{};
  };

  void lead(std::size_t index, const Role& role);
  void follow(const ProbeStep& step, const Role& role);
  /// Carries out one order on all ranks of the step.
  /// @return on the leader: microseconds of one message, or GB/s summed over several pairs
  double carry_out(const ProbeStep& step, const Role& role, const Order& order);
  double seconds_of_pair(const ProbeStep& step, const Role& role, std::size_t bytes,
                         int repetitions);
  /// Sends known data both ways; complains in the rank's file when others arrive.
  void check_data(const Role& role);
  void sleep_until_all_are_here();

  const MpiLibrary& mpi_;
  const ProbePlan& plan_;
  RankFile& file_;
  int rank_;
  std::mt19937 random_;
  Pages send_;
  Pages receive_;
};

}  // namespace plait::measure
