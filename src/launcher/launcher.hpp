// SPDX-License-Identifier: BSD-3-Clause
// Recognizes launchers and parses their command lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace plait::launcher {

/// Launchers whose options Plait knows. `none`: the command is the program itself.
enum class LauncherKind { none, openmpi4, openmpi5, mpich, intel, slurm };

struct Launcher {
  LauncherKind kind = LauncherKind::none;
  std::string version;  ///< "4.1.4"; empty: unknown
  std::string name;     ///< as the user typed it
  std::string path;     ///< where it was found; empty: not found
};

/// "openmpi", "mpich", "intel", "slurm"; empty for none. Both Open MPI kinds are "openmpi".
std::string kind_name(LauncherKind kind);

/// "Open MPI 4.1.4".
std::string mpi_title(const Launcher& launcher);

/// The kind of launcher with this kind_name() and version, as in run.json and profile.json.
LauncherKind kind_of(const std::string& name, const std::string& version);

/// Recognizes a launcher by what `--version` printed; kind none if the launcher is unknown.
/// @param text  standard output and standard error of `launcher --version`
Launcher identify_version_text(const std::string& name, const std::string& text);

/// True for file names of launchers (mpiexec, mpirun.openmpi, srun, prterun ...).
bool is_launcher_name(const std::string& command);

/// Looks the command up in PATH and asks it for its version (10 s at most).
/// @throws Error when it has a launcher's name, but cannot be found or is unknown.
Launcher identify_launcher(const std::string& command);

/// One part of a command line; parts are separated by ":".
struct Application {
  std::size_t index = 0;             ///< of the program in the command
  std::optional<int> ranks;          ///< -n of this part
  std::string folder;                ///< -wdir of this part; empty: the current one
  std::vector<std::string> argv;     ///< the program and its arguments, without wrappers
  std::vector<std::string> wrapper;  ///< between launcher and program: env, numactl ...
};

/// A parsed command line.
struct LaunchCommand {
  Launcher launcher;
  std::vector<std::string> argv;
  std::size_t launcher_index = 0;  ///< in argv; wrappers (env, timeout ...) may come before it
  std::vector<Application> applications;
  std::optional<int> ranks;  ///< of all parts together; empty: the launcher decides
};

/// Parses a command line by the options of its launcher.
/// @param launcher_index  of the launcher in argv
/// @throws Error when it has no program.
LaunchCommand parse_command(const Launcher& launcher, const std::vector<std::string>& argv,
                            std::size_t launcher_index = 0);

/// Finds the launcher in a command line, asks for its version and parses the line.
/// @throws Error as identify_launcher and parse_command do.
LaunchCommand understand_command(const std::vector<std::string>& argv);

/// Index of the program that wrappers (env, timeout, taskset, nice ...) at `at` run.
std::size_t behind_wrappers(const std::vector<std::string>& argv, std::size_t at);

/// How many arguments an option of that launcher takes, itself included (2 for `-n 4`).
/// @param option  an argument that begins with "-"
std::size_t option_length(LauncherKind kind, const std::string& option);

}  // namespace plait::launcher
