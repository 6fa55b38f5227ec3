// SPDX-License-Identifier: BSD-3-Clause
// Aligns the clocks of all processes with that of the host of the lowest rank.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/event_source.hpp"
#include "trace/tick_map.hpp"

namespace plait::trace {

/// True if a measured offset can be one: finite, within 30 years, its uncertainty not negative.
bool is_possible(const plait_clock_offset& offset);

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
