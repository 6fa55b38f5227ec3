// SPDX-License-Identifier: BSD-3-Clause
// The command of a trial that starts a program by a plan.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "advise/trials.hpp"
#include "launcher/plan.hpp"

namespace plait::advise {

/// The command according to a plan; its files are written into the folder.
/// @param name     of the command in the names of its output files
/// @param records  as preloads() takes it; if it is empty and the plan needs records, they are in
///                 NAME.d/records of the folder
/// @param notes    gets what the launcher cannot do; null: nobody asks
/// @throws Error as launcher::command_of, and when a file cannot be written.
TrialCommand trial_command(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                           const std::string& name, const std::filesystem::path& folder,
                           const std::filesystem::path& records, std::vector<std::string>* notes);

/// The command with its environment in front.
std::vector<std::string> whole_command(const TrialCommand& command);

}  // namespace plait::advise
