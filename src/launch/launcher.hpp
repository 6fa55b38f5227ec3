// SPDX-License-Identifier: BSD-3-Clause
// Which launcher a command line starts, and which program is in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plait::launch {

/// Launchers whose options Plait knows. `none`: the command is the program itself.
enum class LauncherKind { none, openmpi4, openmpi5, mpich, intel, slurm };

struct Launcher {
  LauncherKind kind = LauncherKind::none;
  std::string version;  ///< "4.1.4"; empty when it does not say
  std::string name;     ///< as the user typed it
  std::string path;     ///< where it was found; empty: nowhere
};

/// "openmpi", "mpich", "intel", "slurm"; empty for none. Both Open MPI kinds are "openmpi".
std::string kind_name(LauncherKind kind);

/// The kind of a name and version as run.json and profile.json hold them.
LauncherKind kind_of(const std::string& name, const std::string& version);

/// Recognizes a launcher by what `--version` printed; none when it is no known launcher.
/// @param text  standard output and standard error of `launcher --version`
Launcher identify_version_text(const std::string& name, const std::string& text);

/// True when the file name is one that launchers have (mpiexec, mpirun.openmpi, srun, prterun ...).
bool is_launcher_name(const std::string& command);

/// Looks the command up in PATH and asks it for its version (10 s at most).
/// @throws Error when it has a launcher's name, but cannot be found or is of no known kind.
Launcher identify_launcher(const std::string& command);

/// One program of a command line (several when parts are separated by ":").
struct Application {
  std::size_t index = 0;             ///< of the program in the command
  std::optional<int> ranks;          ///< -n of this part
  std::string folder;                ///< -wdir of this part; empty: the current one
  std::vector<std::string> argv;     ///< the program and its arguments, wrappers taken off
  std::vector<std::string> wrapper;  ///< what stands between launcher and program: env, numactl ...
};

/// A command line, understood.
struct LaunchCommand {
  Launcher launcher;
  std::vector<std::string> argv;
  std::size_t launcher_index = 0;  ///< in argv; wrappers (env, timeout ...) may stand before it
  std::vector<Application> applications;
  std::optional<int> ranks;  ///< of all parts together; empty: the launcher decides
};

/// Takes a command line apart by the options of its launcher's kind.
/// @param launcher_index  of the launcher in argv
/// @throws Error when there is no program in it.
LaunchCommand parse_command(const Launcher& launcher, const std::vector<std::string>& argv,
                            std::size_t launcher_index = 0);

/// Finds the launcher in a command line, asks for its version and takes the line apart.
/// @throws Error as identify_launcher and parse_command do.
LaunchCommand understand_command(const std::vector<std::string>& argv);

/// Index of the word behind wrappers (env, timeout, taskset, nice ...) that begin at `at`.
std::size_t behind_wrappers(const std::vector<std::string>& argv, std::size_t at);

/// How many words an option of that launcher takes, itself included (2 for `-n 4`).
/// @param option  a word that begins with "-"
std::size_t option_words(LauncherKind kind, const std::string& option);

}  // namespace plait::launch
