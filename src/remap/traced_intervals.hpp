// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node did in each interval of a trace, as the mapper would have seen it.
#pragma once

#include <cstdint>
#include <vector>

#include "remap/arrangement.hpp"
#include "trace/trace.hpp"

namespace plait::remap {

/// The ranks of a node of a traced run.
struct TracedNode {
  std::vector<int> ranks;           ///< world ranks, ascending; intervals number them from 0
  std::vector<int> threads;         ///< of each: those that had events
  std::vector<Interval> intervals;  ///< from the first rank's begin on; the last one may be shorter
};

/// Messages count in the interval in which they are sent, those of collectives by
/// collective_messages(); messages to other nodes are left out. Threads are busy in their parts of
/// OpenMP regions, and the main thread outside MPI. Linear in the events.
/// @param node        index into Trace::nodes
/// @param interval_s  above 0
TracedNode traced_node(const trace::Trace& trace, std::uint32_t node, double interval_s);

}  // namespace plait::remap
