// SPDX-License-Identifier: BSD-3-Clause
// A traced run, or a generated program, replayed on several networks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "replay/replay.hpp"
#include "trace/trace.hpp"

namespace plait::replay {

/// One network that was asked for.
struct ReplayedNetwork {
  std::string spec;  ///< as given
  Network network;
  ReplayInterval result;
};

/// A program and how it ran on each network.
struct ReplayedRun {
  std::string program;     ///< run directory, or the generated program as given
  bool generated = false;  ///< else a trace
  std::string layout;      ///< as given; empty: as recorded
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::optional<double> recorded_s;
  std::vector<ReplayedNetwork> networks;  ///< in the order asked for, at least one
  LeftOut left_out;
  std::vector<std::string> notes;

  /// True if no rank waits forever on any network.
  [[nodiscard]] bool all_ended() const;
};

/// What to change when a trace is replayed.
struct ReplayChanges {
  std::string placement;          ///< node of each rank, as parse_placement reads it; empty: none
  std::string mapping;            ///< as parse_mapping reads it; empty: none
  bool without_overhead = false;  ///< subtract the cost of recording from computation
  /// Gets the times of the events on the first network; see ReplayOptions. May be null.
  std::vector<std::vector<std::pair<double, double>>>* step_times = nullptr;
};

/// Called before the replay on each network, with its specification.
using BeforeNetwork = std::function<void(const std::string& spec)>;

/// Replays a trace on each of the networks.
/// @param networks  as open_network reads them
/// @param processes  that share the replays, see ReplayWorkers; only process 0 gets the results.
///                   Null: this one alone
/// @throws Error when one of these texts or a network cannot be read.
ReplayedRun replay_trace(const trace::Trace& trace, const ReplayChanges& changes,
                         const std::vector<std::string>& networks, const BeforeNetwork& before,
                         Processes* processes = nullptr);

/// Replays a generated program on each of the networks. It has its own layout.
/// @param program  as generated_program reads it
/// @throws Error when the program or a network cannot be read, or when something of the layout is
///         to be changed.
ReplayedRun replay_generated(const std::string& program, const ReplayChanges& changes,
                             const std::vector<std::string>& networks, const BeforeNetwork& before,
                             Processes* processes = nullptr);

}  // namespace plait::replay
