// SPDX-License-Identifier: BSD-3-Clause
// A table of runs on 1, 2, 4 and so on ranks in one launch.
#pragma once

#include <vector>

#include "options.hpp"
#include "solve.hpp"

namespace plait::jacobi {

/// Runs strong scaling (the same grid) or weak scaling (the same cells per rank). Prints a line
/// after each run. Collective over MPI_COMM_WORLD. @return the runs, on rank 0
std::vector<Result> run_scaling(const Options& options);

}  // namespace plait::jacobi
