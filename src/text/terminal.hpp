// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal: display width, and shortening to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plait {

/// Width of everything that Plait prints for people.
inline constexpr std::size_t kTerminalColumns = 80;

/// Columns that a UTF-8 text takes on a terminal (combining marks and colours 0, wide characters
/// 2).
std::size_t display_width(std::string_view text);

/// The longest start of a text that takes at most `width` columns.
std::string_view start_of(std::string_view text, std::size_t width);

/// Replaces control characters and bytes that are not UTF-8 by '?', so that a command line cannot
/// control the terminal; without `utf8`, all that is not ASCII.
std::string printable(std::string_view text, bool utf8);

/// At most `width` columns of a text, never within a character; ends with "..." when cut.
std::string truncate(std::string_view text, std::size_t width);

/// Keeps both ends of a text and puts "..." in the middle when it is wider than `width`.
std::string truncate_middle(std::string_view text, std::size_t width);

/// Shortens a list whose parts blanks separate: keeps its first parts and the last one, and puts
/// "..." between them, so that no part is cut: "0 1 2 ... 127". A list whose first and last part
/// are too wide is truncated.
std::string abridge(std::string_view list, std::size_t width);

/// The same for a list with commas: "0-3,8,...,127".
std::string abridge_commas(std::string_view list, std::size_t width);

/// Fills with blanks up to `width` columns (on the right; on the left when `right_aligned`).
std::string pad(std::string_view text, std::size_t width, bool right_aligned = false);

/// Removes the blanks at the end of a line.
std::string without_trailing_blanks(std::string line);

}  // namespace plait
