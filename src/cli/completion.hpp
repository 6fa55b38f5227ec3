// SPDX-License-Identifier: BSD-3-Clause
// Completion scripts for bash, zsh and fish.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace plait::cli {

/// The shells there are scripts for.
const std::vector<std::string>& completion_shells();

/// A script that completes commands, options and values.
/// @param shell  one of completion_shells()
std::string completion_script(const Command& root, const std::string& shell);

}  // namespace plait::cli
