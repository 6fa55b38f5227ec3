// SPDX-License-Identifier: BSD-3-Clause
// Checks on this machine and MPI that no schedule changes any bit.
#pragma once

#include "options.hpp"

namespace plait::jacobi {

/// Runs every schedule in both orders, and temporal blocking, on 1, 2, 3, 4, 6 and so on up to all
/// ranks, with 1 to options.threads threads. All runs start alike and are compared with the serial
/// reference. Prints a line per schedule and one per run that differs.
/// Collective over MPI_COMM_WORLD. @return 0 if all are equal, otherwise 1; the same on all ranks
int check_all(const Options& options);

}  // namespace plait::jacobi
