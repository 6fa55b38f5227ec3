// SPDX-License-Identifier: BSD-3-Clause
// Where each rank and thread of a run was.
#pragma once

#include <string>
#include <vector>

#include "plait/cartesian_grid.hpp"

namespace plait::jacobi {

/// A rank: its box, its host, the CPU that each of its threads was on when it looked.
struct RankPlace {
  int rank = 0;
  std::string host;
  Int3 coordinates{};
  Box own;
  std::vector<int> cpus;  ///< of each OpenMP thread
};

/// All ranks, on rank 0; empty on others. Collective.
std::vector<RankPlace> gather_placement(const CartesianGrid& grid, int threads);

}  // namespace plait::jacobi
