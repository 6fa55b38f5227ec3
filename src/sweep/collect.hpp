// SPDX-License-Identifier: BSD-3-Clause
// Adds runs to a sweep that were started outside of it, as by a batch system.
#pragma once

#include <filesystem>

#include "sweep/sweep.hpp"

namespace plait::sweep {

/// Reads the run directories runs/POINT/1, 2 ... of each point that have ended and are not yet
/// known, and sets the state: finished if all points are done.
/// @return the number of new runs, also of those that failed
int collect_runs(Sweep& sweep, const std::filesystem::path& folder);

}  // namespace plait::sweep
