// SPDX-License-Identifier: BSD-3-Clause
// Replays a program on a network (LogGOPS) by discrete-event simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "base/processes.hpp"
#include "replay/network.hpp"
#include "replay/program.hpp"

namespace plait::replay {

/// How one rank spent its time, s.
struct RankTimes {
  double end = 0;  ///< of its last step, since the first rank started
  double compute = 0;
  double waiting = 0;   ///< in communication, for others or for the network
  double overhead = 0;  ///< in communication, busy
};

struct ReplayResult {
  double time_s = 0;  ///< from the first rank's start to the last rank's end
  std::vector<RankTimes> ranks;
  std::vector<RankTimes> other_threads;  ///< Program::threads() from Program::ranks() on
  std::uint64_t events = 0;              ///< steps and messages executed
  std::uint64_t messages = 0;
  /// Ranks that could not continue because a partner never arrived; empty when all ended.
  std::vector<std::uint32_t> stuck;
};

struct ReplayOptions {
  /// Gets the begin and end of each event that is a Step::event, per rank and further thread, in ns
  /// on the trace's clock; {-1, -1} for events without steps (regions, polls of one loop). May be
  /// null.
  std::vector<std::vector<std::pair<double, double>>>* step_times = nullptr;
  /// Gets the length of each of these events, per rank and further thread, in ns; -1 for events
  /// without steps. May be null.
  std::vector<std::vector<double>>* step_lengths = nullptr;
  /// That replay at most, where a replay can be divided (Engine::may_divide()) and the program
  /// allows it (Program::steps_at_once()); 0: as many as there are usable CPUs.
  unsigned threads = 1;
  /// That replay the same program, each some of its ranks (ranks_of_process()), where that can be
  /// done; null: this one alone. All get the result, but times and lengths of steps only of their
  /// own ranks. Collective among them.
  Processes* processes = nullptr;
  /// A thread has at least this many ranks, a process a multiple of them.
  std::uint32_t ranks_together = kRanksTogether;
};

/// The ranks of a process of ReplayOptions::processes.
IndexRange ranks_of_process(std::size_t ranks, const ReplayOptions& options, std::size_t process);

/// Replays the program from its first step. Deterministic, whatever the threads and processes; no
/// I/O; takes O(events log ranks) time.
/// @throws Error when the program's placement needs a path that the network does not have, or when
///         a Program::is_part() cannot be replayed in parts: the network does not allow it, or
///         there are no other processes.
ReplayResult replay(Program& program, const Network& network, const ReplayOptions& options = {});

/// A prediction with its interval: `middle` with the network's settings; the interval covers FIFO
/// and fair sharing, the given eager limit and none, progress in calls and by hardware, and the
/// intervals of measured times (Path::fastest, Path::slowest).
struct ReplayInterval {
  ReplayResult middle;
  double low_s = 0, high_s = 0;
};

/// Who replays the variants of a network.
struct ReplayWorkers {
  /// Makes another program like the first one, for a thread of its own; empty: one thread replays
  /// all variants.
  std::function<std::unique_ptr<Program>()> another;
  unsigned threads = 0;  ///< at most; 0: as many as there are usable CPUs
  /// That replay the same program and share the variants; null: this one alone. All get the
  /// interval, but only process 0 gets `middle`. Collective among them.
  Processes* processes = nullptr;
};

/// The result does not depend on the workers.
/// @throws Error as replay() does
ReplayInterval replay_with_interval(Program& program, const Network& network,
                                    const ReplayWorkers& workers = {});

}  // namespace plait::replay
