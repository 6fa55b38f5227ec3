// SPDX-License-Identifier: BSD-3-Clause
// Parts of the scripts that start a program by a plan.
#pragma once

#include <map>
#include <string>

namespace plait::launcher {

/// A placeholder for the folder that a script will make for its files: `$files` in the script.
inline constexpr const char* kScriptFolder = "/@plait-files@";

/// An argument quoted for the shell, with the placeholder replaced by the variable of the folder.
std::string script_word(const std::string& argument);

/// Lines that set variables. @throws Error if one has no name that a shell can assign to
std::string exports_text(const std::map<std::string, std::string>& environment);

/// Lines that make the folder, and remove it at the end of the script.
std::string folder_text();

/// Lines that write a file to the folder. @param content  ends with a line break
std::string written_text(const std::string& name, const std::string& content);

}  // namespace plait::launcher
