// SPDX-License-Identifier: BSD-3-Clause
// What has to be known and in place before a run starts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/environment.hpp"
#include "launch/preload_choice.hpp"
#include "launch/run.hpp"
#include "launch/run_directory.hpp"
#include "machine/machine_file.hpp"

namespace plait::launch {

/// A run that can be started.
struct RunSetup {
  LaunchCommand command;
  PreloadChoice preload;
  std::filesystem::path mapper;  ///< preload object that reorders topologies; empty: none
  std::string omp_runtime;       ///< path; empty: the program's own
  machine::MachineFile machine;
  std::vector<std::string> warnings;
};

/// Understands the command, chooses the preload object and the machine.
/// @param bound  this process runs bound to a rank's cores: they are not all that the job has
/// @throws Error when something is missing or does not fit.
RunSetup set_up(const RunRequest& request, LaunchCommand command, bool bound);

/// The variables of a run.
Assignments run_environment(const RunRequest& request, const RunSetup& setup,
                            const RunDirectory& directory, const std::filesystem::path& spool);

/// run.json as it is at the start.
RunFile run_file(const RunRequest& request, const RunSetup& setup);

/// A folder below `base` for this run's records, its name ending in `suffix`; empty when `base` is.
/// @throws Error when it cannot be made.
std::filesystem::path make_spool(const std::filesystem::path& base, const RunDirectory& directory,
                                 const std::string& suffix);

/// Moves the records of this node from the spool to the run's folder.
/// @returns a sentence when some could not be moved; empty when all were
std::string empty_spool(const std::filesystem::path& spool, const RunDirectory& directory);

}  // namespace plait::launch
