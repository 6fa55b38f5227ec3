// SPDX-License-Identifier: BSD-3-Clause
// plait place --run: what a run and the measured machine say to packed or spread.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"

namespace plait::cli {

struct RunIntent {
  std::string intent;
  std::vector<std::string> hosts;  ///< of the run, where it had several
};

/// Compares the placements of a run's program, prints them, and gives the intent of the best.
/// @param run  a run directory
/// @param memory_bound  share of computing that waits for memory, where the user knows it
/// @param out  where to
/// @throws Error when the run has no profile or the machine was not measured.
RunIntent intent_of_run(const std::filesystem::path& run, const machine::MachineFile& machine,
                        std::optional<double> memory_bound, std::FILE* out);

}  // namespace plait::cli
