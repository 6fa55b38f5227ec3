// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks run: what each may use, and which rank of the plan it is.
#pragma once

#include <string>

#include "measure/probe_plan.hpp"
#include "mpi_library.hpp"

namespace plait::measure {

/// "place HOST PU:CORE:PACKAGE ...": this process' node and what the launcher left to it there, as
/// the system numbers it; -1 where it does not say.
std::string place_line();

/// A rank in the plan's order, whatever order the launcher has.
struct PlannedRank {
  int rank = 0;
  MPI_Comm world{};     ///< all ranks in the plan's order
  std::string problem;  ///< why there is no such order; the same on all ranks
};

/// Orders the ranks by the plan's nodes. Collective over MPI_COMM_WORLD.
PlannedRank planned_rank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, int size);

}  // namespace plait::measure
