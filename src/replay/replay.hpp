// SPDX-License-Identifier: BSD-3-Clause
// Discrete-event replay of a program on a network (LogGOPS).
#pragma once

#include <cstdint>
#include <vector>

#include "replay/network.hpp"
#include "replay/program.hpp"

namespace plait::replay {

/// Where one rank's time went, seconds.
struct RankTimes {
  double end = 0;  ///< when it had done its last step, since the first rank's begin
  double compute = 0;
  double waiting = 0;   ///< inside communication, for others or for the network
  double overhead = 0;  ///< inside communication, busy
};

struct ReplayResult {
  double time_s = 0;  ///< from the first rank's begin to the last rank's end
  std::vector<RankTimes> ranks;
  std::uint64_t events = 0;  ///< steps and messages executed
  std::uint64_t messages = 0;
  /// Ranks that could not go on (their partner never came); empty when all ended.
  std::vector<std::uint32_t> stuck;
};

struct ReplayOptions {
  /// Begin and end of each event that is a Step::event, per rank, ns on the trace's clock; {-1, -1}
  /// for events without steps (regions, polls of one loop). Null: not wanted. For the comparison
  /// with what was recorded.
  std::vector<std::vector<std::pair<double, double>>>* step_times = nullptr;
};

/// Runs the program on the network, from its first step on. Deterministic; one thread; no I/O. Time
/// O(events log ranks).
/// @throws Error when the network does not know a path that the program's placement needs.
ReplayResult replay(Program& program, const Network& network, const ReplayOptions& options = {});

/// A prediction with its interval: the network's own settings, and the extremes over FIFO and fair
/// sharing, eager limit (as given, all eager), and progress (in call, hardware).
struct ReplayInterval {
  ReplayResult middle;
  double low_s = 0, high_s = 0;
};
ReplayInterval replay_with_interval(Program& program, const Network& network);

}  // namespace plait::replay
