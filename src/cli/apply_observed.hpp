// SPDX-License-Identifier: BSD-3-Clause
// Whether a run kept to its plan: what is preloaded to see it, and what it saw.
#pragma once

#include <filesystem>
#include <string>

#include "launch/environment.hpp"
#include "launch/launcher.hpp"
#include "launch/plan.hpp"

namespace plait::cli {

/// Whether something can be seen of a plan inside its run: places of ranks, or what the mapper did.
bool can_be_seen(const launch::Plan& plan);

/// The variables under which a program is started by a plan: the mapper where the plan has it.
/// @param records  folder for what is seen of places and mapping; empty: nothing is looked at
/// @throws Error as launch::choose_preload(), and when this Plait lacks the mapper.
launch::Assignments preloads(const launch::Plan& plan, const launch::LaunchCommand& command,
                             const std::filesystem::path& records);

/// What was seen of a run.
struct SeenOfPlan {
  bool kept = false;
  std::string sentence;  ///< "All 4 ranks ran where the plan has them."
};

/// Looks at the records of a run.
/// @param folder  that holds records/
SeenOfPlan look_at(const launch::Plan& plan, const launch::LaunchCommand& command,
                   const std::filesystem::path& folder);

}  // namespace plait::cli
