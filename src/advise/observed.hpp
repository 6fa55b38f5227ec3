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
/// mapper or Plait's ways of messages.
bool can_be_seen(const launcher::Plan& plan);

/// True if ranks must be recorded where the plan is used: they meet in the folder of the records.
bool needs_records(const launcher::Plan& plan);

/// The variables to start a program with: they preload what the plan uses, the mapper and Plait's
/// ways of messages.
/// @param records  folder for records of places and mapping; empty: nothing is recorded
/// @throws Error as run::choose_preload(), run::choose_mapper() and run::check_message_ways().
Assignments preloads(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                     const std::filesystem::path& records);

/// An observation of a run.
struct SeenOfPlan {
  bool kept = false;
  std::string sentence;  ///< "All 4 ranks ran where the plan puts them."
};

/// Looks at the records of a run: where ranks were, what was mapped, how messages were passed.
/// @param folder  that holds records/
SeenOfPlan look_at(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                   const std::filesystem::path& folder);

}  // namespace plait::advise
