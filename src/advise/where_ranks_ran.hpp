// SPDX-License-Identifier: BSD-3-Clause
// Judges where the ranks and threads of a run were, and whether it followed its plan.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "placement/placement_check.hpp"
#include "run/judge_run.hpp"

namespace plait::advise {

/// Where a run's ranks and threads were, and the judgement of it.
struct WhereRanksRan {
  placement::PlacementInput input;
  run::RunJudgement judgement;
  std::string kept_to_plan;  ///< a sentence; empty without a plan
};

/// The command that starts the user's program according to a plan.
/// @param folder  for the files that the command reads; they are written
std::vector<std::string> planned_command(const launcher::Plan& plan,
                                         const std::vector<std::string>& command,
                                         const std::filesystem::path& folder);

/// Reads the records of a run. Warnings go to standard error.
/// @param directory  that holds records/ and machine.json
/// @param command  that was run
/// @param asked  the same as the user gave it
/// @throws Error when no process was observed.
WhereRanksRan where_ranks_ran(const std::filesystem::path& directory,
                              const std::vector<std::string>& command,
                              const std::vector<std::string>& asked);

/// Compares the run with its plan. A difference becomes the first finding.
void compare_with_plan(const launcher::Plan& plan, WhereRanksRan& seen);

}  // namespace plait::advise
