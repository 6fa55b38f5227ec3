// SPDX-License-Identifier: BSD-3-Clause
// How the user started a command of Plait, so that a suggestion can repeat the whole command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/inside_launcher.hpp"

namespace plait::run {

/// The variable in which `plait cluster run` passes its own command line to what it runs.
inline constexpr const char* kAroundVariable = "PLAIT_STARTED_BY";

/// A command line of the user in two parts, and what it is without `plait run`.
struct StartedAs {
  std::vector<std::string> around;   ///< plait cluster run --nodes 2 -- plait run --trace --
  std::vector<std::string> command;  ///< with the launcher, if there is one: mpiexec -n 4 ./app
  std::vector<std::string> outer;    ///< plait cluster run --nodes 2 --
  std::vector<std::string> plain;    ///< mpiexec -n 4 ./app, also if it was mpiexec -n 4 plait run
};

/// A launcher's command line, `mpiexec -n 4 plait run -o x ./app`, in two forms.
struct LauncherLine {
  std::vector<std::string> without_output;  ///< mpiexec -n 4 plait run ./app
  std::vector<std::string> without_plait;   ///< mpiexec -n 4 ./app
};

/// Divides a launcher's command line that starts plait as `typed`; a line without it stays whole.
LauncherLine divide_launcher_line(const std::vector<std::string>& line,
                                  const std::vector<std::string>& typed);

/// The parts of the command line of this process and of those around it. Within a launcher
/// (mpiexec -n 4 plait run ./app) `command` is the launcher's command line, if it runs on this
/// node, else one with its usual name and as many ranks.
/// @param typed    `plait run` and its options; --output is left out, because its folder exists now
/// @param command  the user's command
/// @param job      of this rank within a launcher
StartedAs started_as(const std::vector<std::string>& typed, const std::vector<std::string>& command,
                     const std::optional<launcher::JobRank>& job);

/// As a shell command.
std::string started_text(const std::vector<std::string>& around,
                         const std::vector<std::string>& command);

}  // namespace plait::run
