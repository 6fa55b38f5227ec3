// SPDX-License-Identifier: BSD-3-Clause
// The rows of the page's timeline: one for each rank, or for several of very many ranks.
#include "report/timeline_rows.hpp"

#include <algorithm>
#include <set>

#include "report/page_profile.hpp"

namespace plait::report {

std::vector<TimelineRow> timeline_rows(const trace::Trace& trace, const std::vector<int>& own,
                                       std::size_t most) {
  std::vector<std::uint32_t> traced;
  for (std::uint32_t i = 0; i < trace.ranks.size(); ++i) {
    if (!trace.ranks[i].left_out) traced.push_back(i);
  }
  const std::size_t ranks = traced.size();
  std::size_t per_row = 1;
  if (ranks > most) {
    const auto on_first = std::count_if(traced.begin(), traced.end(), [&](std::uint32_t i) {
      return trace.ranks[i].host == trace.ranks[traced.front()].host;
    });
    per_row = ranks_per_bin(ranks, static_cast<std::size_t>(on_first), most);
  }
  const std::set<int> alone(
      own.begin(), own.begin() + static_cast<std::ptrdiff_t>(std::min(own.size(), kMostOwnRows)));
  std::vector<TimelineRow> rows;
  bool was_alone = true;
  for (std::size_t number = 0; number < ranks; ++number) {
    const std::uint32_t i = traced[number];
    const bool is_alone = alone.contains(trace.ranks[i].world_rank);
    if (is_alone || was_alone || number % per_row == 0) {
      rows.push_back({i, i + 1});
    } else {
      rows.back().last = i + 1;
    }
    was_alone = is_alone;
  }
  return rows;
}

}  // namespace plait::report
