// SPDX-License-Identifier: BSD-3-Clause
// A plan: everything that is needed to start a program in a certain way, in a file for people, and
// in the words of each launcher.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.hpp"
#include "machine/cpuset.hpp"

namespace plait::launch {

inline constexpr const char* kPlanSchema = "plait-plan";
inline constexpr int kPlanSchemaVersion = 1;

/// Where one rank runs.
struct RankPlaces {
  std::string node;      ///< host name as the launcher knows it
  machine::CpuSet pus;   ///< hardware threads, operating-system numbers; empty: not bound
};

/// A time with its interval.
struct PredictedTime {
  double seconds = 0, low = 0, high = 0;
};

/// A plan. What is empty stays as the user's command has it.
struct Plan {
  std::string name;    ///< short: "map by blocks"
  std::string reason;  ///< one or two sentences, with figures
  std::string source;  ///< run directory or intent that it was made from
  int ranks = 0;       ///< 0: as before
  int threads = 0;     ///< OMP_NUM_THREADS; 0: as before
  std::vector<RankPlaces> places;                  ///< of each rank, in rank order
  bool reorder = false;                            ///< the mapper is preloaded (MPI_Cart_create ...)
  bool reorder_always = false;                     ///< also where the program says reorder = 0
  std::map<std::string, std::string> environment;  ///< settings of the MPI library, OpenMP
  std::vector<std::string> launcher_options;       ///< settings that only the launcher takes
  std::optional<LauncherKind> only_for;            ///< the MPI that the settings are for
  std::optional<PredictedTime> before, after;      ///< of what `predicted_of` says
  std::string predicted_of;                        ///< "one exchange", "the whole run"
};

/// Reads a plan. @throws Error when it is missing, damaged or of another version.
Plan load_plan(const std::filesystem::path& path);
/// Writes a plan. @throws Error when it cannot be written.
void save_plan(const std::filesystem::path& path, const Plan& plan);

/// A plan in a launcher's words.
struct PlannedCommand {
  std::vector<std::string> argv;                    ///< the whole command
  std::map<std::string, std::string> environment;   ///< to set in front of it
  std::map<std::string, std::string> files;         ///< name -> content: rankfile, machinefile ...
  std::vector<std::string> notes;                   ///< what could not be said to this launcher
};

/// Turns a plan into a command of a launcher.
/// @param folder  where the files will lie; their names in argv are in it
/// @throws Error when this launcher cannot do what the plan asks, saying what can.
PlannedCommand command_of(const Plan& plan, const Launcher& launcher,
                          const std::vector<std::string>& program,
                          const std::filesystem::path& folder);

/// The same applied to a command of the user's: its launcher, ranks and options stay unless the plan
/// contradicts them.
PlannedCommand command_of(const Plan& plan, const LaunchCommand& command,
                          const std::filesystem::path& folder);

/// A batch script for Slurm that starts the program by this plan.
std::string slurm_script(const Plan& plan, const std::vector<std::string>& program);

}  // namespace plait::launch
