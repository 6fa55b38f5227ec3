// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep in turn, and keeps its state in a file after each run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sweep/schedule.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// Called before and after each run.
struct Hooks {
  std::function<void(const Sweep&, const NextRun&)> before;
  std::function<void(const Sweep&, const NextRun&)> after;
};

/// Runs until all points are done, the budget is used up, or a signal ends it; sets the state. The
/// file sweep.json in the folder is written before the first run and after each one, so that a
/// sweep that is ended at any time can be resumed: then the run that was interrupted is repeated.
/// @param folder  of the sweep: gets sweep.json and runs/
/// @return the signal that ended it early
/// @throws Error when the file or a run directory cannot be written, or a program cannot be
/// started.
std::optional<int> execute(Sweep& sweep, const std::filesystem::path& folder, const Hooks& hooks);

}  // namespace plait::sweep
