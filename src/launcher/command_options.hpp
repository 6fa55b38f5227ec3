// SPDX-License-Identifier: BSD-3-Clause
// Removes, adds and changes options in launcher command lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "launcher/launcher.hpp"

namespace plait::launcher {

/// The launcher's options in a part of a command, with their values, without those named in `drop`
/// (without dashes; an option that sets a variable as "genv NAME").
std::vector<std::string> options_without(const LaunchCommand& command,
                                         const std::vector<std::string>& drop,
                                         std::size_t part = 0);

/// Index of the first argument of a part (parts are separated by ":"): of part 0, the one after
/// the launcher.
std::size_t part_begin(const LaunchCommand& command, std::size_t part);

void insert_options(std::vector<std::string>& argv, std::size_t at,
                    const std::vector<std::string>& options);

/// The command line with options that pass these variables to ranks on all nodes. Ranks on this
/// node inherit them. For ranks on other nodes, Open MPI needs -x; hydra needs -genv if the user
/// restricts what it passes; srun needs them in its --export list if there is one.
/// @throws Error for srun --export=NONE, which passes no variable.
std::vector<std::string> exporting_command(const LaunchCommand& command,
                                           const Assignments& variables);

/// The value that a command gives a variable in the ranks of a part (env, -x, -env, -genv); empty:
/// it gives none, and they have that of the environment.
std::string variable_in_part(const LaunchCommand& command, std::size_t part,
                             const std::string& name);

/// Replaces the value in each argument that already sets the variable of NAME=value (env, -x,
/// -genv). @returns true if there is one
bool override_assignments(std::vector<std::string>& argv, const std::string& assignment);

}  // namespace plait::launcher
