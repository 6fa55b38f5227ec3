// SPDX-License-Identifier: BSD-3-Clause
// Prepares a run: the preload object, the machine, the variables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "machine/machine_file.hpp"
#include "run/preload_choice.hpp"
#include "run/run.hpp"
#include "run/run_directory.hpp"

namespace plait::run {

/// A run that is ready to start.
struct RunSetup {
  launcher::LaunchCommand command;
  PreloadChoice preload;
  std::filesystem::path mapper;  ///< preload object that reorders topologies; empty: none
  std::vector<std::filesystem::path> parts;  ///< preload objects for samples, files, threads
  std::string omp_runtime;                   ///< path; empty: the program's own
  machine::MachineFile machine;
  std::vector<std::string> warnings;
};

/// Chooses the preload object and the machine.
/// @param bound  this process is bound to the cores of a rank, and the job may have more
/// @throws Error when something is missing or does not fit.
RunSetup set_up(const RunRequest& request, launcher::LaunchCommand command, bool bound);

/// The environment variables of a run.
Assignments run_environment(const RunRequest& request, const RunSetup& setup,
                            const RunDirectory& directory, const std::filesystem::path& spool);

/// The content of run.json at the start.
RunFile run_file(const RunRequest& request, const RunSetup& setup);

}  // namespace plait::run
