// SPDX-License-Identifier: BSD-3-Clause
// Chooses a packed or spread placement for a run's program, by its run and the measured machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "placement/choice.hpp"

namespace plait::advise {

struct PlacementOfRun {
  placement::PlacementChoice choice;
  std::vector<std::string> hosts;  ///< of the run, if it had several
};

/// Compares the placements of a run's program.
/// @param run  a run directory
/// @param memory_bound  share of computing that waits for memory, if the user knows it
/// @throws Error when the run has no profile or the machine was not measured.
PlacementOfRun choose_placement(const std::filesystem::path& run,
                                const machine::MachineFile& machine,
                                std::optional<double> memory_bound);

}  // namespace plait::advise
