// SPDX-License-Identifier: BSD-3-Clause
// plait replay --remap: what moving ranks while they run would gain on a machine.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "remap/replayed_moves.hpp"

namespace plait::cli {

struct RemapReplay {
  std::string program;  ///< run directory
  std::string machine;  ///< as given
  double interval_s = 0;
  std::vector<remap::ReplayedMoves> nodes;
};

/// @param run       run directory with a trace
/// @param machine   as machine::open_machine() takes it
/// @param interval  "2s"
/// @throws Error when one of them cannot be used
RemapReplay replay_remap(const std::string& run, const std::string& machine,
                         const std::string& interval);

/// The verdict and the decisions on each node; at most 80 columns.
std::vector<std::string> remap_replay_lines(const RemapReplay& replay);

/// As JSON: schema "plait-replay-remap", version 1 (docs/schemas/replay-remap-1.schema.json).
nlohmann::json remap_replay_to_json(const RemapReplay& replay);

}  // namespace plait::cli
