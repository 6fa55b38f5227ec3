// SPDX-License-Identifier: BSD-3-Clause
// Synthetic records of ranks.
#pragma once

#include "trace/rank_record.hpp"

namespace plait::report {

/// Rank `rank` of `size` on host n0 or n1 (upper half): 10 s between Init and Finalize, of them
/// `mpi_s` in MPI_Allreduce on MPI_COMM_WORLD at site 1, and one MPI_Send of 1000 bytes to the next
/// rank at site 2.
trace::RankRecord synthetic_record(int rank, int size, double mpi_s);

}  // namespace plait::report
