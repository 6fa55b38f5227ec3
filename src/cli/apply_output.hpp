// SPDX-License-Identifier: BSD-3-Clause
// The output of plait apply: the verdict, measured beside predicted times, JSON.
#pragma once

#include <string>
#include <vector>

#include "advise/apply.hpp"
#include "base/json.hpp"

namespace plait::cli {

/// Kept or not, and why.
std::string apply_verdict(const advise::ApplyReport& report);

/// Verdict, table, next command; at most 80 columns except for commands and paths.
std::vector<std::string> apply_lines(const advise::ApplyReport& report);

/// What was measured until the trials were interrupted, without a verdict.
std::vector<std::string> interrupted_lines(const advise::ApplyReport& report);

/// As JSON: schema "plait-apply", version 1 (docs/schemas/apply-1.schema.json).
nlohmann::json apply_to_json(const advise::ApplyReport& report);

}  // namespace plait::cli
