// SPDX-License-Identifier: BSD-3-Clause
// Aligns the clocks of all processes with that of the host of the lowest rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/event_source.hpp"

namespace plait::trace {

/// Times of a trace are within this many ns (two years) of the common clock's origin, so that
/// differences and sums of some of them do not overflow. Times beyond are those of damaged files.
inline constexpr double kMostNs = 63e15;

/// True if a measured offset can be one: finite, within 30 years, its uncertainty not negative.
bool is_possible(const plait_clock_offset& offset);

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

struct Alignment {
  std::vector<TickMap> maps;  ///< by process
  double error_s = 0;         ///< the largest uncertainty of a host's offset
  std::vector<std::string> problems;
};

/// Aligns the clocks of processes. Processes of one host share a clock and get one map, with the
/// rate of the process with the longest time between its samples. Hosts are aligned by the least
/// uncertain offsets that their processes measured at Init and Finalize, linear in between. A host
/// without measurements is aligned by its wall clock, which is reported as a problem.
/// @param processes  ranks ascending
Alignment align_clocks(std::span<const ProcessDefinitions* const> processes);

}  // namespace plait::trace
