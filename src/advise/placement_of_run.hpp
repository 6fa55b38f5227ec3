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
  std::optional<double> memory_bound;  ///< the user's, else from the runs; empty: unknown
  std::string memory_bound_from;       ///< how it was found, or why it was not; empty: the user's
  std::vector<std::string> hosts;      ///< of the run, if it had several
};

/// Compares the placements of a run's program.
/// @param run  a run directory
/// @param other  another run of the program with as many ranks and threads, placed otherwise;
/// empty:
///               none. Two runs, or one whose ranks shared memories unequally, give the share of
///               computation that is memory-bound, by placement::memory_bound_share().
/// @param memory_bound  that share, if the user knows it
/// @throws Error when a run has no profile, the runs differ or the machine was not measured.
PlacementOfRun choose_placement(const std::filesystem::path& run,
                                const std::filesystem::path& other,
                                const machine::MachineFile& machine,
                                std::optional<double> memory_bound);

}  // namespace plait::advise
