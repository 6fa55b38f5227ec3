// SPDX-License-Identifier: BSD-3-Clause
// Scripts for launchers that Plait does not start by itself: aprun, omplace, and numactl under any
// launcher (G. Jost, B. Robins, Scientific Programming 18, 2010, listing 3).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/plan.hpp"

namespace plait::launcher {

/// aprun: Cray's ALPS. omplace: SGI's and HPE's MPT. numactl: a script per rank that any launcher
/// starts, which has no options for the places.
enum class FurtherLauncher { aprun, omplace, numactl };

/// The launcher of this name: "aprun", "omplace" or "numactl"; empty for others.
std::optional<FurtherLauncher> further_launcher(const std::string& name);

/// A shell script that starts the program by this plan. Not tested on such systems.
/// @param plan  with bound places; for aprun and omplace, those of all nodes must be alike
/// @throws Error if the plan is another one
std::string further_script(const Plan& plan, FurtherLauncher launcher,
                           const std::vector<std::string>& program);

}  // namespace plait::launcher
