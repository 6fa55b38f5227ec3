// SPDX-License-Identifier: BSD-3-Clause
// Reads a system, of which no rank has the whole matrix, and distributes its rows.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "system_run.hpp"

namespace plait::cg {

/// The part of a system on one rank.
struct SystemRows {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int64_t> columns;  ///< of the reordered matrix, ascending in each row
  std::vector<double> values;
  std::vector<double> rhs;
  std::vector<int> counts;  ///< rows of each rank
  std::vector<int> order;   ///< on rank 0: the original number of each row
};

/// Collective over `comm`. Each rank reads a part of the matrix; rank 0 reads the right-hand side.
/// @throws CollectiveError as run_system()
SystemRows read_system(MPI_Comm comm, const SystemOptions& options);

/// The elements of all ranks in the original order, on rank 0. Collective.
std::vector<double> gather(MPI_Comm comm, const SystemRows& rows, const std::vector<double>& own);

}  // namespace plait::cg
