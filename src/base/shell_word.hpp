// SPDX-License-Identifier: BSD-3-Clause
// Arguments and commands as text that a shell reads back unchanged.
#pragma once

#include <string>
#include <vector>

namespace plait {

/// One argument, quoted if a shell would split or expand it.
std::string shell_word(const std::string& word);

/// A command: its arguments, quoted where necessary and joined by blanks.
std::string command_text(const std::vector<std::string>& command);

}  // namespace plait
