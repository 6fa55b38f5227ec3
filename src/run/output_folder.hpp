// SPDX-License-Identifier: BSD-3-Clause
// Makes the folder for the output of several runs of a program.
#pragma once

#include <filesystem>
#include <string>

namespace plait::run {

/// Makes the folder.
/// @param output  its path: a folder that does not exist or is empty; "": PARENT/NAME-TIME
/// @return its absolute path
/// @throws Error when it is not empty or cannot be made.
std::filesystem::path make_output_folder(const std::filesystem::path& output,
                                         const std::string& parent, const std::string& program);

}  // namespace plait::run
