// SPDX-License-Identifier: BSD-3-Clause
// The time of all ranks together, to which shares refer.
#pragma once

#include <algorithm>

#include "report/profile.hpp"

namespace plait::report {

/// Seconds between MPI_Init and MPI_Finalize, of all ranks.
inline double total_wall(const Profile& profile) {
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  return wall;
}

/// The same without the share in which threads waited for a CPU: what takes little of a busy
/// machine's time may take much of the program's own.
inline double total_own_wall(const Profile& profile) {
  return total_wall(profile) * (1 - std::min(1.0, profile.cpu_wait_fraction));
}

}  // namespace plait::report
