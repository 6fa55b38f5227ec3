// SPDX-License-Identifier: BSD-3-Clause
// What plait apply says: the verdict, measured beside predicted, JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launch/plan.hpp"
#include "launch/quarantine.hpp"
#include "launch/trials.hpp"
#include "measure/paired_ratio.hpp"

namespace plait::cli {

/// A plan and what became of it.
struct ApplyReport {
  launch::Plan plan;
  std::string plan_file;                   ///< empty: made from options
  std::vector<std::string> before, after;  ///< the commands, environment in front
  std::string timed;                       ///< "the whole command", "the program's own time"
  bool same_output = false;
  launch::TrialResult trials;
  measure::Comparison comparison = measure::Comparison::undecided;
  std::vector<launch::Quarantined> quarantined;  ///< put there now
  std::string seen;  ///< whether the plan's first run kept to it; empty: not looked at
  std::vector<std::string> notes;
  std::string folder;     ///< of the runs' output
  std::string kept_file;  ///< empty: the plan was not kept
  std::string result;     ///< where the JSON lies; empty: nowhere
  std::string page;       ///< the same of the HTML page
};

/// Predicted old time / new time with its interval; empty without a prediction.
std::optional<measure::MedianInterval> predicted_ratio(const launch::Plan& plan);

/// Kept or not, and why.
std::string apply_verdict(const ApplyReport& report);

/// Verdict, table, what to do next; at most 80 columns but for commands and paths.
std::vector<std::string> apply_lines(const ApplyReport& report);

/// What was measured until the trials were interrupted, without a verdict.
std::vector<std::string> interrupted_lines(const ApplyReport& report);

/// As JSON: schema "plait-apply", version 1 (docs/schemas/apply-1.schema.json).
nlohmann::json apply_to_json(const ApplyReport& report);

}  // namespace plait::cli
