// SPDX-License-Identifier: BSD-3-Clause
// A command as a shell would take it.
#pragma once

#include <string>
#include <vector>

namespace plait::report {

/// The words of a command joined by blanks; those that a shell would take apart are quoted.
std::string command_text(const std::vector<std::string>& command);

}  // namespace plait::report
