// SPDX-License-Identifier: BSD-3-Clause
// Converts the ticks of a process' clock to the time of a trace.
#pragma once

#include <algorithm>
#include <cstdint>

namespace plait::trace {

/// Times of a trace are within this many ns (two years) of the common clock's origin, so that
/// differences and sums of some of them do not overflow. Times beyond are those of damaged files.
inline constexpr double kMostNs = 63e15;

/// Linear map from ticks of a process to nanoseconds of the common clock.
struct TickMap {
  std::uint64_t ticks = 0;  ///< a point in time
  double ns = 0;            ///< the same point on the common clock
  double ns_per_tick = 1;

  [[nodiscard]] std::int64_t operator()(std::uint64_t at) const {
    // Subtract first: ticks since boot have more digits than a double.
    const double since =
        at >= ticks ? static_cast<double>(at - ticks) : -static_cast<double>(ticks - at);
    return static_cast<std::int64_t>(std::clamp(ns + since * ns_per_tick, -kMostNs, kMostNs));
  }
};

}  // namespace plait::trace
