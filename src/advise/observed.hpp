// SPDX-License-Identifier: BSD-3-Clause
// Observes whether a run followed its plan.
#pragma once

#include <filesystem>
#include <string>

#include "base/environment.hpp"
#include "launcher/launcher.hpp"
#include "launcher/plan.hpp"

namespace plait::advise {

/// True when a run can show whether it followed the plan: the plan has places of ranks, or uses the
/// mapper.
bool can_be_seen(const launcher::Plan& plan);

/// The variables to start a program with: they preload the mapper if the plan uses it.
/// @param records  folder for records of places and mapping; empty: nothing is recorded
/// @throws Error as run::choose_preload(), and when the mapper is missing.
Assignments preloads(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                     const std::filesystem::path& records);

/// An observation of a run.
struct SeenOfPlan {
  bool kept = false;
  std::string sentence;  ///< "All 4 ranks ran where the plan puts them."
};

/// Looks at the records of a run.
/// @param folder  that holds records/
SeenOfPlan look_at(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                   const std::filesystem::path& folder);

}  // namespace plait::advise
