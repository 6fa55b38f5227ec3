// SPDX-License-Identifier: BSD-3-Clause
// The plans for a run: mapping, placement, threads, progress; and what there is nothing to gain by.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/plan.hpp"
#include "report/profile.hpp"

namespace plait::cli {

/// What can be said for a run.
struct Advice {
  std::string run;
  report::Profile profile;
  std::vector<launch::Plan> plans;   ///< shortest predicted time first
  std::vector<std::string> nothing;  ///< sentences: what was looked at and gains nothing, or why
                                     ///< it cannot be said
  std::vector<std::string> files;    ///< of the plans, in their order; empty: not written
  std::string result;                ///< where the JSON lies; empty: nowhere
};

/// Looks at a run directory: its profile, its machine file, its trace where there is one.
/// @throws Error when it is no run directory.
Advice advise(const std::filesystem::path& run);

/// One or two sentences: the best plan, or that there is nothing to gain.
std::string advice_verdict(const Advice& advice);

/// Verdict, table of plans with reasons, what gains nothing; at most 80 columns but for paths.
std::vector<std::string> advice_lines(const Advice& advice);

/// As JSON: schema "plait-advice", version 1 (docs/schemas/advice-1.schema.json).
nlohmann::json advice_to_json(const Advice& advice);

}  // namespace plait::cli
