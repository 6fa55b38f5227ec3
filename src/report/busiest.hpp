// SPDX-License-Identifier: BSD-3-Clause
// Who computes longest: a rank, the ranks of a node, or a row of the program's grid.
#pragma once

#include <string>
#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// The ranks whose computation bounds the run.
struct Busiest {
  int rank = -1;      ///< computes longest
  double mean_s = 0;  ///< computation of all ranks
  double ratio = 1;   ///< of its computation, or that of `who`, to the mean of all ranks
  std::string who;    ///< "rank 17", "node0003", "row (0, 3, *) of the 8 x 8 x 8 grid"
  bool is_node = false;
  std::vector<int> ranks;  ///< that `who` means
};

/// Ranks that compute longer than all others by at least 5 % of the mean have a name together if
/// they are all of a node, or a row or plane of the grid that the messages imply; else the rank
/// that computes longest is named.
/// @param profile  with at least one rank
Busiest busiest_ranks(const Profile& profile);

/// The extents of the Cartesian grid of ranks whose neighbours exchange messages, as for
/// MPI_Cart_create (the last one varies fastest); empty if most messages follow no such grid.
std::vector<int> implied_grid(const Matrix& matrix);

/// "row (0, 3, *) of the 8 x 8 x 8 grid", "plane (2, *, *) of ..."; empty if the ranks are neither.
/// @param ranks  ascending
std::string name_in_grid(const std::vector<int>& ranks, const std::vector<int>& grid);

}  // namespace plait::report
