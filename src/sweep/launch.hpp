// SPDX-License-Identifier: BSD-3-Clause
// What the launcher of a point's command says about it: ranks, settings, quarantine.
#pragma once

#include <vector>

#include "launcher/launcher.hpp"
#include "run/quarantine.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// Completes points from their commands: the parts of a job that has several; ranks and threads
/// where the sweep has no parameter for them; the settings; points left out because their launcher
/// is unknown or a setting is in quarantine. Completes the grid by parameters that ranks or threads
/// follow from. Asks each launcher once.
/// @throws Error when a point needs more than kMostCores.
void complete_points(const std::vector<run::Quarantined>& quarantine, Grid& grid,
                     std::vector<Point>& points);

/// Puts the settings of points into quarantine that hung, crashed or did not start, unless a point
/// that succeeded has the same settings, or the point has none.
/// @return one sentence for each entry
std::vector<std::string> quarantine_failures(Sweep& sweep);

}  // namespace plait::sweep
