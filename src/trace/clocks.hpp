// SPDX-License-Identifier: BSD-3-Clause
// One clock for all processes: that of the host of the lowest rank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trace/event_source.hpp"

namespace plait::trace {

/// From ticks of a process to nanoseconds of the common clock: linear.
struct TickMap {
  std::uint64_t ticks = 0;  ///< at which
  double ns = 0;            ///< is so much
  double ns_per_tick = 1;

  [[nodiscard]] std::int64_t operator()(std::uint64_t at) const {
    // The difference first: ticks since boot have more digits than a double.
    return static_cast<std::int64_t>(
        ns + static_cast<double>(static_cast<std::int64_t>(at - ticks)) * ns_per_tick);
  }
};

struct Alignment {
  std::vector<TickMap> maps;  ///< by process
  double error_s = 0;         ///< the largest uncertainty of a host's offset
  std::vector<std::string> problems;
};

/// Aligns the clocks of processes. Those of one host share a clock and get one map, at the rate
/// that the process with the longest time between its samples saw. Hosts are aligned by the offsets
/// that their processes measured at Init and Finalize, those with the least uncertainty, linear in
/// between; a host that measured none by its wall clock, which is a problem told.
/// @param processes  ranks ascending
Alignment align_clocks(std::span<const ProcessDefinitions* const> processes);

}  // namespace plait::trace
