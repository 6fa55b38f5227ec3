// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks that spend their time alike: what to read instead of a line for each rank.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Of more ranks, reports show groups, not each rank.
inline constexpr std::size_t kMostRanksShown = 32;

/// Groups in profile.json and on the page.
inline constexpr std::size_t kMostRankGroups = 16;

/// The least, median and largest value of some ranks.
struct TimeSpread {
  double least = 0;
  double median = 0;
  double most = 0;
};

struct AlikeRanks {
  std::vector<int> ranks;  ///< ascending
  int typical = -1;        ///< of them, the one whose computation is the median
  TimeSpread compute_s;    ///< on a CPU
  TimeSpread cpu_wait_s;   ///< of the time outside MPI, waiting for a CPU
  TimeSpread mpi_s;
  TimeSpread omp_idle_s;
};

/// Groups the ranks of a profile. Two groups differ by at least 5 % of the longest rank's time in
/// computation, MPI, idle threads or waiting for a CPU, and there is a gap of that size between
/// them: ranks whose times change gradually are one group. A rank that behaves like no other is a
/// group of its own.
/// @param most  number of groups: the largest gaps separate them
/// @returns the groups with most ranks first
std::vector<AlikeRanks> alike_ranks(const std::vector<RankRow>& ranks, std::size_t most);

/// "ranks 0-1023 (1024)", "rank 17"; long lists are cut at `width` columns.
std::string name_of(const AlikeRanks& group, std::size_t width);

/// The groups as in `rank_groups` of profile.json.
nlohmann::json alike_ranks_to_json(const std::vector<AlikeRanks>& groups);

/// The spread of some values; all 0 without values.
TimeSpread time_spread_of(std::vector<double> values);

}  // namespace plait::report
