// SPDX-License-Identifier: BSD-3-Clause
// The output of plait place: the placement, commands, and the comparison of placements of a run.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "advise/placement.hpp"
#include "advise/placement_of_run.hpp"

namespace plait::cli {

/// Prints which placement of a run's program is faster and why, and all alternatives.
void print_choice(const advise::PlacementOfRun& of, std::FILE* out);

/// Prints a placement and the command of each launcher.
/// @param output  folder for the plan and the files that the commands read; empty: not written
void print_placement(const advise::PlacedRanks& placed,
                     const std::vector<launcher::Launcher>& launchers,
                     const std::vector<std::string>& program, const std::filesystem::path& output);

}  // namespace plait::cli
