// SPDX-License-Identifier: BSD-3-Clause
// Series of runs in one launch: runs on the first ranks of all, and the tables of them.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace plait {

/// Calls `body` on the first `ranks` ranks, with a communicator of these; returns on all ranks when
/// it has ended. The other ranks sleep between polls, so that they leave the cores to the first.
/// Collective over MPI_COMM_WORLD.
/// @throws CollectiveError on all ranks if `body` throws one
void on_first_ranks(int ranks, const std::function<void(MPI_Comm)>& body);

/// 1, 2, 4, 8 and so on up to `most`, which is always included.
/// @param thirds  whether to include 3, 6, 12 and so on
std::vector<int> rank_counts(int most, bool thirds);

/// The columns of speedup and efficiency: titles, and the cells of a run.
/// @param speedup  over the first run
/// @param parts    ranks or cores, over those of the first run
std::string speedup_titles();
std::string speedup_cells(double speedup, double parts);

}  // namespace plait
