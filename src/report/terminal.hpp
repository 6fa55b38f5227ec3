// SPDX-License-Identifier: BSD-3-Clause
// The report on a terminal: at most 24 lines of 80 columns, and what was recorded on request.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "report/profile.hpp"
#include "text/terminal.hpp"

namespace plait::report {

inline constexpr std::size_t kTerminalLines = 24;

struct TerminalOptions {
  bool color = false;
  bool utf8 = true;     ///< false: print ASCII only (">=")
  std::string result;   ///< path of the report or run directory; empty: not printed
  bool traced = false;  ///< an analysis follows: omit the bounds that it makes exact
  /// Show efficiencies by all definitions and calls by ITAC's size classes, not only the
  /// recommended ones.
  bool all_definitions = false;
};

/// Colour if the stream is a terminal, NO_COLOR is unset or empty and TERM is not "dumb"; UTF-8 by
/// LC_ALL, LC_CTYPE or LANG.
TerminalOptions terminal_options(std::FILE* stream);

/// What the run recorded or did on request: functions, samples, counters, energy, memory, files and
/// moves of ranks, each block after an empty line.
std::vector<std::string> requested_lines(const Profile& profile, const TerminalOptions& options);

/// The report's lines, without line ends; without colour none is wider than 80 columns. At most
/// kTerminalLines, of which the last ones are the path of the result and the next command; before
/// these are the requested_lines() and an empty line, if there are any.
std::vector<std::string> terminal_lines(const Profile& profile, const TerminalOptions& options);

/// Prints them.
void print_terminal(const Profile& profile, std::FILE* stream, const TerminalOptions& options);

}  // namespace plait::report
