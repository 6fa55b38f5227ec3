// SPDX-License-Identifier: BSD-3-Clause
// Options of launchers that decide placement: which there are, and a command without them.
#pragma once

#include <string>
#include <vector>

#include "launch/launcher.hpp"

namespace plait::launch {

/// Options that decide where ranks run and would contradict others that do, without dashes. Those
/// that set a variable have its name behind a blank: "genv I_MPI_PIN_DOMAIN".
std::vector<std::string> placement_options(LauncherKind kind);

/// Options that tell a launcher the ranks' number, without dashes.
std::vector<std::string> rank_options(LauncherKind kind);

/// Options that name the hosts of a job, without dashes.
std::vector<std::string> host_options(LauncherKind kind);

/// The options that a command gives its launcher, with their values, but for those of a list.
/// Those of the first part only, where a command has several.
std::vector<std::string> options_without(const LaunchCommand& command,
                                         const std::vector<std::string>& drop);

/// Sets NAME=value wherever the words already set that name (env, -x, -genv).
void override_assignments(std::vector<std::string>& words, const std::string& assignment);

}  // namespace plait::launch
