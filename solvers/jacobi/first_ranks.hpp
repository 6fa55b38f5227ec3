// SPDX-License-Identifier: BSD-3-Clause
// Runs something on the first ranks of all, while the others sleep.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

namespace plait::jacobi {

/// Calls `body` with a communicator of the first `ranks` ranks, on these; returns on all ranks when
/// it has ended. The others poll now and then, so that they take no core from those who work.
/// Collective over MPI_COMM_WORLD.
/// @throws CollectiveError on all ranks when `body` throws one
void on_first_ranks(int ranks, const std::function<void(MPI_Comm)>& body);

/// 1, 2, 3, 4, 6, 8, 12, 16 and so on up to `most`, which is always one of them.
/// @param thirds  whether 3, 6, 12 and so on are among them
std::vector<int> rank_counts(int most, bool thirds);

}  // namespace plait::jacobi
