// SPDX-License-Identifier: BSD-3-Clause
// The output of plait replay: the verdict, a table of networks, the ranks that stand out, JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "replay/replay.hpp"

namespace plait::cli {

/// One network that was asked for.
struct ReplayedNetwork {
  std::string spec;  ///< as given
  replay::Network network;
  replay::ReplayInterval result;
};

/// A program and how it ran on each network.
struct ReplayReport {
  std::string program;     ///< run directory, or the generated program as given
  bool generated = false;  ///< else a trace
  std::string layout;      ///< as given; empty: as recorded
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::optional<double> recorded_s;
  std::vector<ReplayedNetwork> networks;  ///< in the order asked for, at least one
  replay::LeftOut left_out;
  std::vector<std::string> notes;
  std::string result;  ///< where the JSON is; empty: nowhere
};

/// One sentence on the result for the first network.
std::string replay_verdict(const ReplayReport& report);

/// Verdict, table, ranks, notes; at most 80 columns.
std::vector<std::string> replay_lines(const ReplayReport& report);

/// As JSON: schema "plait-replay", version 1 (docs/schemas/replay-1.schema.json).
nlohmann::json replay_to_json(const ReplayReport& report);

}  // namespace plait::cli
