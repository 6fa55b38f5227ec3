// SPDX-License-Identifier: BSD-3-Clause
// Breaks long texts into lines: sentences, texts beside a label, commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/terminal.hpp"

namespace plait {

/// As many lines as a text needs.
inline constexpr std::size_t kAllLines = static_cast<std::size_t>(-1);

/// A word that is wider than a line: broken, or whole, so that a path can be copied.
enum class TooWide { broken, whole };

/// Breaks a text at line ends and at blanks, but not between a number and its unit, into at most
/// `max_lines` lines of at most `width` columns. The last line ends with "..." when something is
/// left. A text without characters has no lines.
std::vector<std::string> wrap(std::string_view text, std::size_t width = kTerminalColumns,
                              std::size_t max_lines = kAllLines, TooWide wide = TooWide::broken);

/// Wraps a text to the right of a label, which may have colours: "note: the first line", and
/// further lines indented by the width of the label. `width` includes the label. An empty text
/// gives no lines.
std::vector<std::string> wrap_beside(std::string_view label, std::string_view text,
                                     std::size_t width = kTerminalColumns,
                                     std::size_t max_lines = kAllLines,
                                     TooWide wide = TooWide::broken);

/// A command beside a label, in lines that end with a backslash, so that it can be copied into a
/// shell. No word is cut, even if it is wider than a line.
/// @param arguments  of the command, quoted for the shell
std::vector<std::string> wrap_command(std::string_view label,
                                      const std::vector<std::string>& arguments,
                                      std::size_t width = kTerminalColumns);

/// The lines with a line end after each one.
std::string joined_lines(const std::vector<std::string>& lines);

}  // namespace plait
