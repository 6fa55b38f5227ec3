// SPDX-License-Identifier: BSD-3-Clause
// The places of the ranks: the CPUs that each may use, and its rank in the plan.
#pragma once

#include <string>

#include "measure/probe_plan.hpp"
#include "mpi_library.hpp"

namespace plait::measure {

/// "place HOST PU:CORE:PACKAGE ...": the node of this process and its allowed hardware threads by
/// operating-system indices; -1 where an index is unknown.
std::string place_line();

/// A rank in the order of the plan, which may differ from that of the launcher.
struct PlannedRank {
  int rank = 0;
  MPI_Comm world{};     ///< all ranks in the order of the plan
  std::string problem;  ///< why there is no such order; the same on all ranks
};

/// Orders the ranks by the nodes of the plan. Collective over MPI_COMM_WORLD.
PlannedRank planned_rank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, int size);

}  // namespace plait::measure
