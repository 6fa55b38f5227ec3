// SPDX-License-Identifier: BSD-3-Clause
// The output of plait replay: the verdict, a table of networks, the ranks that stand out, JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "replay/replayed_run.hpp"

namespace plait::cli {

/// One sentence on the result for the first network.
std::string replay_verdict(const replay::ReplayedRun& run);

/// Verdict, table, ranks, notes; at most 80 columns.
std::vector<std::string> replay_lines(const replay::ReplayedRun& run);

/// As JSON: schema "plait-replay", version 1 (docs/schemas/replay-1.schema.json).
nlohmann::json replay_to_json(const replay::ReplayedRun& run);

}  // namespace plait::cli
