// SPDX-License-Identifier: BSD-3-Clause
// The rows of the page's timeline: one for each rank, or for several of very many ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace plait::report {

/// Ranks that have rows of their own where the others share rows. A screen shows few more.
inline constexpr std::size_t kMostOwnRows = 48;

/// The ranks [first, last) of a trace, by index, without those that were left out; the first and
/// the last are not. Only a row of one rank has single events.
struct TimelineRow {
  std::uint32_t first = 0, last = 0;
  [[nodiscard]] bool is_single() const { return last - first == 1; }
};

/// A row for each rank, of up to `most` ranks. Of more, neighbouring ranks share rows, if possible
/// those of a node, except for the first kMostOwnRows of `own`.
/// @param own  world ranks, the most important first
/// @returns the rows in the order of ranks; each rank that was traced is in one
std::vector<TimelineRow> timeline_rows(const trace::Trace& trace, const std::vector<int>& own,
                                       std::size_t most);

}  // namespace plait::report
