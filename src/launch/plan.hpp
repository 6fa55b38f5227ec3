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
inline constexpr const char* kPlanName = "plan.json";  ///< in the folder of plait place -o

/// Where one rank runs.
struct RankPlaces {
  std::string node;     ///< host name as the launcher knows it
  machine::CpuSet pus;  ///< hardware threads, operating-system numbers; empty: not bound
  /// The same as whole cores, counted as hwloc counts the cores of a node all of which may be used:
  /// what a rankfile holds. Empty: `pus` are no whole cores, or the numbers are not known; then
  /// Open MPI's ranks bind themselves (see kBinderName).
  machine::CpuSet cores;
};

/// A time with its interval.
struct PredictedTime {
  double seconds = 0, low = 0, high = 0;
};

/// A plan. What is empty stays as the user's command has it.
struct Plan {
  std::string name;                ///< short: "map by blocks"
  std::string reason;              ///< one or two sentences, with figures
  std::string source;              ///< run directory or intent that it was made from
  int ranks = 0;                   ///< 0: as before
  int threads = 0;                 ///< OMP_NUM_THREADS; 0: as before
  std::vector<RankPlaces> places;  ///< of each rank, in rank order
  bool reorder = false;            ///< the mapper is preloaded (MPI_Cart_create ...)
  bool reorder_always = false;     ///< also where the program says reorder = 0
  std::map<std::string, std::string> environment;  ///< settings of the MPI library, OpenMP
  std::vector<std::string> launcher_options;       ///< settings that only the launcher takes
  std::optional<LauncherKind> only_for;            ///< the MPI that the settings are for
  std::optional<PredictedTime> before, after;      ///< of what `predicted_of` says
  std::string predicted_of;                        ///< "one exchange", "the whole run"
};

/// The program that binds a rank where its launcher has no words for it, in libexec: it looks up
/// its rank in a file of `RANK CPUS` lines, binds itself and becomes the program behind it.
inline constexpr const char* kBinderName = "plait-bind";

/// "openmpi4", "openmpi5", "mpich", "intel", "slurm"; "" for none.
std::string launcher_word(LauncherKind kind);
/// The launcher of such a word; empty when it is none.
std::optional<LauncherKind> launcher_of_word(const std::string& word);

/// Names of hosts, without blanks. @throws Error with `input` when one is none.
void check_host_names(const std::string& input, const std::vector<std::string>& hosts);

/// Reads a plan: the file, or plan.json in this folder. @throws Error when it is missing, damaged
/// or of another version.
Plan load_plan(const std::filesystem::path& path);
/// What save_plan() writes.
std::string plan_text(const Plan& plan);
/// Writes a plan. @throws Error when it cannot be written.
void save_plan(const std::filesystem::path& path, const Plan& plan);

/// A plan in a launcher's words.
struct PlannedCommand {
  std::vector<std::string> argv;                   ///< the whole command
  std::map<std::string, std::string> environment;  ///< to set in front of it
  std::map<std::string, std::string> files;        ///< name -> content: rankfile, machinefile ...
  std::vector<std::string> notes;                  ///< what could not be said to this launcher
};

/// Turns a plan into a command of a launcher.
/// Verified from inside the ranks under Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and 5.0.2 and Intel
/// MPI 2021.18 (docs/place.md), and under srun of Slurm 22.05.8 (docs/slurm.md).
/// @param launcher  an empty version is taken for the newest
/// @param folder  where the files will lie; their names in argv are in it
/// @throws Error when this launcher cannot do what the plan asks, saying what can.
PlannedCommand command_of(const Plan& plan, const Launcher& launcher,
                          const std::vector<std::string>& program,
                          const std::filesystem::path& folder);

/// The same applied to a command of the user's: its launcher, ranks and options stay unless the
/// plan contradicts them. Hosts stay where the user named them.
/// @throws Error as above, and when the command names another number of ranks: the same work would
/// not be done. A plan of as many ranks x threads (OMP_NUM_THREADS) is taken, with a note.
PlannedCommand command_of(const Plan& plan, const LaunchCommand& command,
                          const std::filesystem::path& folder);

/// A shell script that starts the program by this plan and brings along the files that the launcher
/// reads; for Slurm slurm_script().
/// @throws Error as command_of does.
std::string start_script(const Plan& plan, const Launcher& launcher,
                         const std::vector<std::string>& program);

/// A batch script for Slurm that starts the program by this plan. It makes the files that srun
/// reads on the nodes that it gets: the plan's nodes stand for them in the order of their names.
/// @throws Error as command_of does.
std::string slurm_script(const Plan& plan, const std::vector<std::string>& program);

}  // namespace plait::launch
