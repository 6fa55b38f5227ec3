// SPDX-License-Identifier: BSD-3-Clause
// Runs a program with and without a plan in turn, and keeps the plan if it is faster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/trials.hpp"
#include "base/paired_ratio.hpp"
#include "launcher/plan.hpp"
#include "run/quarantine.hpp"

namespace plait::advise {

/// A plan to try: from a file, from settings, or both.
struct ApplyRequest {
  std::vector<std::string> command;      ///< the program with its launcher, as before
  std::string plan;                      ///< a plan's file or folder; empty: none
  std::vector<std::string> set;          ///< environment variables: NAME=VALUE
  std::vector<std::string> options;      ///< launcher options, separated by blanks
  int repeat = 10;                       ///< most pairs of runs
  double time_limit_s = 0;               ///< of each run; 0: as TrialRequest::time_limit_s
  bool same_output = false;              ///< standard output must stay the same
  std::string time_from;                 ///< regular expression whose first group is the time
  std::string output;                    ///< folder of the runs' output; empty: plait-applies/...
  std::string keep = "plait-plan.json";  ///< where a plan that won goes
};

/// A plan and the result of its trials.
struct ApplyReport {
  launcher::Plan plan;
  std::string plan_file;                   ///< empty: made from options
  std::vector<std::string> before, after;  ///< the commands, environment in front
  std::string timed;                       ///< "the whole command", "the program's own time"
  bool same_output = false;
  TrialResult trials;
  Comparison comparison = Comparison::undecided;
  bool won = false;                           ///< faster, and no run failed
  std::vector<run::Quarantined> quarantined;  ///< settings put there now
  std::string seen;  ///< whether the first run followed the plan; empty: not observed
  std::vector<std::string> notes;
  std::string folder;     ///< of the runs' output
  std::string kept_file;  ///< empty: the plan was not kept
  std::string result;     ///< where the JSON is; empty: nowhere
  std::string page;       ///< the same of the HTML page
};

/// Tries a plan. Progress goes to standard error. A report with trials.interrupted_by has no
/// verdict.
/// @throws Error when the plan cannot be read, is in quarantine or does not fit the command, or the
///         folder is not empty.
ApplyReport apply(const ApplyRequest& request);

/// Predicted old time / new time with its interval; empty without a prediction.
std::optional<MedianInterval> predicted_ratio(const launcher::Plan& plan);

}  // namespace plait::advise
