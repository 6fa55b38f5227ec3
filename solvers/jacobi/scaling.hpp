// SPDX-License-Identifier: BSD-3-Clause
// Runs on the first ranks of all, and a table of runs on 1, 2, 4 and so on ranks in one launch.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

#include "options.hpp"
#include "solve.hpp"

namespace plait::jacobi {

/// Calls `body` on the first `ranks` ranks, with a communicator of these; returns on all ranks when
/// it has ended. The other ranks sleep between polls, so that they leave the cores to the first.
/// Collective over MPI_COMM_WORLD.
/// @throws CollectiveError on all ranks if `body` throws one
void on_first_ranks(int ranks, const std::function<void(MPI_Comm)>& body);

/// 1, 2, 4, 8 and so on up to `most`, which is always included.
/// @param thirds  whether to include 3, 6, 12 and so on
std::vector<int> rank_counts(int most, bool thirds);

/// Runs strong scaling (the same grid) or weak scaling (the same cells per rank). Prints a line
/// after each run. Collective over MPI_COMM_WORLD. @return the runs, on rank 0
std::vector<Result> run_scaling(const Options& options);

}  // namespace plait::jacobi
