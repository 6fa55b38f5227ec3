// SPDX-License-Identifier: BSD-3-Clause
// What plait run --remap would do with a traced run on nodes of another machine.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "remap/remap_file.hpp"
#include "trace/trace.hpp"

namespace plait::remap {

/// The decisions for one node, and what they would bring.
struct ReplayedMoves {
  RemapFile decisions;  ///< the host is the node's name in the trace
  double recorded_s = 0;
  double saved_s = 0;  ///< of it, by prediction, after the cost of moving
};

/// Decides after each interval as the mapper would (Decider). The ranks of each node start on
/// successive cores of the machine, bound as launchers do with --bind-to core; if it has fewer
/// cores than they have threads, they are not bound. The trace says what they compute and send;
/// after a move, the intervals become as much shorter as Prediction says.
/// @param interval_s  above 0
std::vector<ReplayedMoves> replay_moves(const trace::Trace& trace,
                                        const machine::MachineFile& machine, double interval_s);

}  // namespace plait::remap
