// SPDX-License-Identifier: BSD-3-Clause
// The part of a trace to export: a window of time and a set of ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace plait::exports {

struct Selection {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::min();
  std::int64_t until_ns = std::numeric_limits<std::int64_t>::max();
  std::vector<bool> ranks;  ///< by rank; empty: all

  [[nodiscard]] bool everything() const {
    return ranks.empty() && from_ns == std::numeric_limits<std::int64_t>::min() &&
           until_ns == std::numeric_limits<std::int64_t>::max();
  }
  [[nodiscard]] bool has_rank(std::uint32_t rank) const {
    return ranks.empty() || (rank < ranks.size() && ranks[rank]);
  }
  /// True if the event overlaps the window.
  [[nodiscard]] bool has(const trace::Event& event) const {
    return event.end >= from_ns && event.begin <= until_ns;
  }
  [[nodiscard]] bool has(std::int64_t time_ns) const {
    return time_ns >= from_ns && time_ns <= until_ns;
  }
};

/// A set of ranks from "0-3,8".
/// @param count  number of ranks of the trace
/// @returns by rank
/// @throws Error when it is not a list of ranks, or contains a rank that the trace does not have.
std::vector<bool> parse_ranks(const std::string& text, std::size_t count);

}  // namespace plait::exports
