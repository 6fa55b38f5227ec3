// SPDX-License-Identifier: BSD-3-Clause
// A plan: ranks, places and settings to start a program with, as a file and as the command line of
// each launcher.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "machine/cpuset.hpp"

namespace plait::launcher {

inline constexpr const char* kPlanSchema = "plait-plan";
inline constexpr int kPlanSchemaVersion = 1;
inline constexpr const char* kPlanName = "plan.json";  ///< in the folder of plait place -o

inline constexpr const char* kFilesFolder = "{folder}";  ///< see Plan::files

/// Where one rank runs.
struct RankPlaces {
  std::string node;     ///< host name as the launcher knows it
  machine::CpuSet pus;  ///< hardware threads, operating-system numbers; empty: not bound
  /// The same as whole cores for a rankfile: hwloc's logical numbers if all cores of the node may
  /// be used. Empty: `pus` are not whole cores, or the numbers are unknown; then ranks under Open
  /// MPI bind themselves (see kBinderName).
  machine::CpuSet cores;
};

/// One of several programs of a plan; its ranks have consecutive numbers.
struct PlanPart {
  std::string program;  ///< name of its file
  int ranks = 0;        ///< at least 1
  int threads = 0;      ///< OMP_NUM_THREADS of its ranks; 0: Plan::threads
  std::map<std::string, std::string> environment;  ///< of its ranks, beside Plan::environment
};

/// A time with its interval.
struct PredictedTime {
  double seconds = 0, low = 0, high = 0;
};

/// A plan. Empty members leave the user's command as it is.
struct Plan {
  std::string name;                ///< short: "map by blocks"
  std::string reason;              ///< one or two sentences, with numbers
  std::string source;              ///< run directory or placement request from which it was made
  int ranks = 0;                   ///< 0: as before
  int threads = 0;                 ///< OMP_NUM_THREADS; 0: as before
  std::vector<RankPlaces> places;  ///< of each rank, in rank order
  std::vector<PlanPart> parts;     ///< of a job of several programs, in rank order; else empty
  bool reorder = false;            ///< the mapper is preloaded (MPI_Cart_create ...)
  bool reorder_always = false;     ///< also where the program passes reorder = 0
  std::map<std::string, std::string> environment;  ///< settings of the MPI library, OpenMP
  /// Name -> content of files that the settings name; kFilesFolder in a variable's value stands for
  /// their folder.
  std::map<std::string, std::string> files;
  std::vector<std::string> launcher_options;  ///< settings that only the launcher accepts
  std::string wait;       ///< how ranks wait for messages, as plait run --wait; empty: as before
  std::string transport;  ///< Plait's transport, as plait run --transport; empty: as before
  std::optional<LauncherKind> only_for;        ///< the MPI that the settings are for
  std::optional<PredictedTime> before, after;  ///< of what `predicted_of` names
  std::string predicted_of;                    ///< "one exchange", "the whole run"
};

/// The program in libexec that binds a rank if the launcher has no option for that: it looks up its
/// rank in a file with `RANK CPUS` lines, binds itself and executes the program that follows.
inline constexpr const char* kBinderName = "plait-bind";

/// "openmpi4", "openmpi5", "mpich", "intel", "slurm"; "" for none.
std::string launcher_key(LauncherKind kind);
/// The launcher of such an id; empty if it is unknown.
std::optional<LauncherKind> launcher_of_key(const std::string& word);

/// Checks host names. @throws Error that names `input` if one has other characters than letters,
/// digits, -, _ and dots.
void check_host_names(const std::string& input, const std::vector<std::string>& hosts);

/// Reads a plan: the file, or plan.json in this folder. @throws Error when it is missing, damaged
/// or of another version.
Plan load_plan(const std::filesystem::path& path);
/// The text that save_plan() writes.
std::string plan_text(const Plan& plan);
/// Writes a plan. @throws Error when it cannot be written.
void save_plan(const std::filesystem::path& path, const Plan& plan);

/// A plan as a command line.
struct PlannedCommand {
  std::vector<std::string> argv;                   ///< the whole command
  std::map<std::string, std::string> environment;  ///< to set in front of it
  std::map<std::string, std::string> files;        ///< name -> content: rankfile, machinefile ...
  std::vector<std::string> notes;                  ///< what this launcher cannot do
};

/// The plan's variables, in which kFilesFolder is this folder.
std::map<std::string, std::string> environment_of(const Plan& plan,
                                                  const std::filesystem::path& folder);

/// Turns a plan into a launcher command line. A plan with parts takes the programs from `program`,
/// which separates them by ":".
/// Verified from inside the ranks under Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and 5.0.2 and Intel
/// MPI 2021.18 (docs/place.md), and under srun of Slurm 22.05.8 (docs/slurm.md).
/// @param launcher  an empty version means the newest
/// @param folder  where the files will be, as their paths in argv name it
/// @throws Error when this launcher cannot do what the plan asks; it names what can.
PlannedCommand command_of(const Plan& plan, const Launcher& launcher,
                          const std::vector<std::string>& program,
                          const std::filesystem::path& folder);

/// Applies a plan to a command of the user. Its launcher, ranks and options stay unless the plan
/// contradicts them. Hosts stay if the user named them.
/// @throws Error as above, and when the command has another number of ranks, or other parts,
/// because it would not do the same work. A plan with as many ranks x threads (OMP_NUM_THREADS) is
/// accepted with a note.
PlannedCommand command_of(const Plan& plan, const LaunchCommand& command,
                          const std::filesystem::path& folder);

/// A shell script that starts the program by this plan and writes the files that the launcher
/// reads; for Slurm, slurm_script().
/// @throws Error as command_of does.
std::string start_script(const Plan& plan, const Launcher& launcher,
                         const std::vector<std::string>& program);

/// A batch script for Slurm that starts the program by this plan. The nodes of the job take the
/// place of the plan's nodes, in order; the script writes the files that srun reads for them.
/// @throws Error as command_of does.
std::string slurm_script(const Plan& plan, const std::vector<std::string>& program);

}  // namespace plait::launcher
