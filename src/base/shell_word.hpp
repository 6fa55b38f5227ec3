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

/// True for names that a shell can assign to: letters, digits and _.
bool is_variable_name(const std::string& name);

/// Shell commands that write `content`, which ends with a line break, to a file.
/// @param target  as the shell reads it: "\"$files/hosts\""
std::string file_text(const std::string& target, const std::string& content);

/// Shell comments, one for each line of `text`.
std::string comment_text(const std::string& text);

}  // namespace plait
