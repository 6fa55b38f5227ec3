// SPDX-License-Identifier: BSD-3-Clause
// The option of a launcher that mends a finding about placement.
#pragma once

#include <string>
#include <vector>

#include "launch/launcher.hpp"
#include "map/placement.hpp"

namespace plait::launch {

/// How a mended start looks.
struct Mend {
  std::string text;                      ///< for a person, one line: what to type differently
  std::vector<std::string> options;      ///< to put behind the launcher's name
  std::vector<std::string> environment;  ///< NAME=value
  std::vector<std::string> drop;         ///< options of the old command that contradict
  int ranks = 0;                         ///< 0: as before
};

/// What mends a finding.
/// Verified from inside the ranks under Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and 5.0.2 and Intel
/// MPI 2021.18 (see docs); srun's options are Slurm's documented ones.
Mend mend(const map::PlacementFinding& finding, const Launcher& launcher);

/// The user's command with a mend applied; environment in front, as `env NAME=value`.
/// A command without a launcher comes back as it is but for the environment.
std::vector<std::string> mended_command(const LaunchCommand& command, const Mend& mend);

}  // namespace plait::launch
