// SPDX-License-Identifier: BSD-3-Clause
// The parts of the terminal report, each a few lines of at most 80 columns.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"

namespace plait::report {

using Lines = std::vector<std::string>;

Lines title_lines(const Profile& profile, const TerminalOptions& options);
Lines missing_lines(const Profile& profile, const TerminalOptions& options);
Lines verdict_lines(const Profile& profile, const TerminalOptions& options);
Lines efficiency_lines(const Profile& profile, const TerminalOptions& options);

/// A legend and a bar for each rank, or for three ranks (least, median, most computation) when
/// there are more than `max_bars`.
Lines rank_lines(const Profile& profile, const TerminalOptions& options, std::size_t max_bars);

/// A header and up to `rows` call sites; empty without any.
Lines call_lines(const Profile& profile, const TerminalOptions& options, std::size_t rows);

/// What is wrong and what mends it: up to `each` lines of both.
Lines finding_lines(const Finding& finding, const TerminalOptions& options, std::size_t each);

/// The regions that the program names and that took most, in one line; none when it names none.
Lines region_lines(const Profile& profile, const TerminalOptions& options);

/// The first note, and what the tool cost and did not see; a line each, empty without any.
Lines tool_lines(const Profile& profile, const TerminalOptions& options);

/// Where the result lies (with the number of findings that are only there) and the next command.
Lines next_lines(const Profile& profile, const TerminalOptions& options, std::size_t findings_left);

}  // namespace plait::report
