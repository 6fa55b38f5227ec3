// SPDX-License-Identifier: BSD-3-Clause
// One run on some ranks, and series of runs in one launch.
#pragma once

#include <mpi.h>

#include <vector>

#include "simulation.hpp"

namespace plait::boussinesq {

/// Runs on all ranks of `comm`. Collective.
/// @param loud  whether the first rank prints lines of measures
/// @throws CollectiveError
Result run(MPI_Comm comm, const Options& options, bool loud);

/// A table of runs on 1, 2, 4 and so on up to all ranks, or of --hybrid. Collective over
/// MPI_COMM_WORLD. @return the runs, on rank 0
std::vector<Result> run_series(const Options& options);

/// Compares every way to run with a run without MPI. Prints a line for each. Collective over
/// MPI_COMM_WORLD. @return whether all are equal
bool check_all(const Options& options);

}  // namespace plait::boussinesq
