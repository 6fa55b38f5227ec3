// SPDX-License-Identifier: BSD-3-Clause
// The terminal output of a tuning: the plan, and the result.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tune/tuning.hpp"

namespace plait::tune {

/// What will be tried and why, and what will not.
std::vector<std::string> candidate_lines(const Tuning& tuning);

/// The command that comes next.
/// @param files  as result_lines() takes them
std::vector<std::string> next_command(
    const Tuning& tuning, const std::filesystem::path& folder,
    const std::vector<std::pair<std::string, std::string>>& files);

/// The verdict, a table of what was tried, and the next command.
/// @param files  that were written: label and path
std::vector<std::string> result_lines(
    const Tuning& tuning, const std::filesystem::path& folder,
    const std::vector<std::pair<std::string, std::string>>& files);

/// "screening 3 of 12: eager limit 16 KiB, pair 1".
std::string progress_line(const Tuning& tuning, const Contest& contest, int pair);

}  // namespace plait::tune
