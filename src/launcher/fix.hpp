// SPDX-License-Identifier: BSD-3-Clause
// Finds the launcher options that fix a finding about placement.
#pragma once

#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "placement/placement_check.hpp"

namespace plait::launcher {

/// Changes to a command line. None changes the number of ranks: the program may depend on it.
struct Fix {
  std::string text;                      ///< for a person, one line: what to type differently
  std::vector<std::string> options;      ///< to insert after the launcher
  std::vector<std::string> environment;  ///< NAME=value
  std::vector<std::string> drop;  ///< options of the old command that contradict the new ones
};

/// The fix of a finding.
/// Verified from inside the ranks under Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and 5.0.2 and Intel
/// MPI 2021.18 (see docs). srun's options are those that Slurm documents.
Fix fix_for(const placement::PlacementFinding& finding, const Launcher& launcher);

/// The user's command with the fix applied. Variables are set in front, as `env NAME=value`; they
/// are the only change to a command without a launcher.
std::vector<std::string> fixed_command(const LaunchCommand& command, const Fix& fix);

}  // namespace plait::launcher
