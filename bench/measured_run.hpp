// SPDX-License-Identifier: BSD-3-Clause
// Runs of a measured MPI program under plait run, with and without an option.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// A measured program, built for one MPI library.
struct MeasuredProgram {
  std::string kind;  ///< "openmpi", "mpich"
  std::string launcher, program, plait;
};

/// Runs it without a report. @return what it printed
/// @param options  of plait run
/// @param folder   of the run, which is removed before
/// @throws plait::Error when the program fails
std::string measured_run(const MeasuredProgram& which, int ranks,
                         const std::vector<std::string>& options,
                         const std::filesystem::path& folder);
