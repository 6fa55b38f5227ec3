// SPDX-License-Identifier: BSD-3-Clause
// The proof, on this machine and MPI, that no schedule changes a bit.
#pragma once

#include "options.hpp"

namespace plait::jacobi {

/// Runs every schedule in both orders, and temporal blocking, on 1, 2, 3, 4, 6 ... all ranks with 1
/// to options.threads threads, each from the same start, and compares each with the serial
/// reference. Prints a line for each schedule, and each run that differs.
/// Collective over MPI_COMM_WORLD. @return 0 when all are equal, else 1; the same on all ranks
int check_all(const Options& options);

}  // namespace plait::jacobi
