// SPDX-License-Identifier: BSD-3-Clause
// The output of plait advise: the verdict, the plans with their reasons, JSON.
#pragma once

#include <string>
#include <vector>

#include "advise/advice.hpp"
#include "base/json.hpp"

namespace plait::cli {

/// One or two sentences: the best plan, or that there is nothing to gain.
std::string advice_verdict(const advise::Advice& advice);

/// Verdict, table of plans with reasons, what gains nothing; at most 80 columns except for paths.
std::vector<std::string> advice_lines(const advise::Advice& advice);

/// As JSON: schema "plait-advice", version 1 (docs/schemas/advice-1.schema.json).
nlohmann::json advice_to_json(const advise::Advice& advice);

}  // namespace plait::cli
