// SPDX-License-Identifier: BSD-3-Clause
// Which part of a trace is exported: a window of time, some of the ranks.
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
  /// Events that reach into the window belong to it.
  [[nodiscard]] bool has(const trace::Event& event) const {
    return event.end >= from_ns && event.begin <= until_ns;
  }
};

/// Ranks from "0-3,8".
/// @param count  how many ranks the trace has
/// @throws Error when it is no such list, or names a rank that the trace lacks.
std::vector<bool> parse_ranks(const std::string& text, std::size_t count);

}  // namespace plait::exports
