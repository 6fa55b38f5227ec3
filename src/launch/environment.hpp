// SPDX-License-Identifier: BSD-3-Clause
// Environment variables: what a run directory may keep of them, and how they reach all ranks.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "launch/launcher.hpp"

namespace plait::launch {

using Assignments = std::vector<std::pair<std::string, std::string>>;

/// True for names that may hold a secret: TOKEN, SECRET, PASSWORD, PASSWD, KEY, CREDENTIAL, AUTH
/// in them, in any case.
bool is_secret_name(const std::string& name);

/// The environment of this process, values of secrets replaced by "(masked)".
std::map<std::string, std::string> masked_environment();

/// The value of a variable of this process; empty when unset.
std::string environment_value(const std::string& name);

/// The name of this node, as gethostname(2) gives it.
std::string host_name();

/// `entries` joined by ":" behind what LD_PRELOAD already holds; nothing twice.
std::string extended_preload(const std::string& before, const std::vector<std::string>& entries);

/// The command line by which these variables reach ranks on all nodes. Ranks of this node inherit
/// them; for others Open MPI needs -x, hydra -genv where the user restricted what it passes, srun
/// its own --export list.
/// @throws Error for srun --export=NONE, which lets nothing through.
std::vector<std::string> exporting_command(const LaunchCommand& command,
                                           const Assignments& variables);

}  // namespace plait::launch
