// SPDX-License-Identifier: BSD-3-Clause
// Finds plans for a run: mapping, placement, threads, progress; and what would not help.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "report/profile.hpp"

namespace plait::advise {

/// The advice for a run.
struct Advice {
  std::string run;
  report::Profile profile;
  std::vector<std::string> outer;     ///< what the run was started in: plait cluster run ... --
  std::vector<launcher::Plan> plans;  ///< shortest predicted time first
  std::vector<std::string> nothing;   ///< sentences: what was considered and would not help, or
                                      ///< why that is unknown
  /// Other programs disturbed the run, so that a plan was left out which may help.
  bool undecided = false;
  std::string tuned;  ///< settings of plait tune --platform for such a job; empty: none
  std::vector<std::string> program;  ///< what is known of the program, one sentence each
  std::string loss;  ///< where the run's time is lost, if no plan helps; empty: nowhere
  std::vector<std::string> files;  ///< of the plans, in their order; empty: not written
  std::string result;              ///< where the JSON is; empty: nowhere
};

/// Reads a run directory: its profile, its machine file, its trace if there is one.
/// @throws Error when it is not a run directory.
Advice advise(const std::filesystem::path& run);

}  // namespace plait::advise
