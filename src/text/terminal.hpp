// SPDX-License-Identifier: BSD-3-Clause
// Text for a terminal: display width, truncation, wrapping, and numbers with their units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plait {

/// Columns that a UTF-8 text takes on a terminal (combining marks 0, wide characters 2).
std::size_t display_width(std::string_view text);

/// Replaces control characters and bytes that are not UTF-8 by '?', so that a command line cannot
/// control the terminal; without `utf8`, all that is not ASCII.
std::string printable(std::string_view text, bool utf8);

/// At most `width` columns of a text, never within a character; ends with "..." when cut.
std::string truncate(std::string_view text, std::size_t width);

/// Keeps both ends of a text and puts "..." in the middle when it is wider than `width`.
std::string truncate_middle(std::string_view text, std::size_t width);

/// Breaks a text at blanks into at most `max_lines` lines of at most `width` columns; the last line
/// ends with "..." when something is left. Words wider than a line are cut.
std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t max_lines);

/// Fills with blanks up to `width` columns (on the right; on the left when `right_aligned`).
std::string pad(std::string_view text, std::size_t width, bool right_aligned = false);

std::string format_seconds(double seconds);     ///< "12.3 s", "4.56 ms", "18.0 ns", "2h05m"
std::string format_bytes(double bytes);         ///< "31.2 KiB"
std::string format_count(std::uint64_t count);  ///< exact up to 99999, then "1.23 M"
std::string format_percent(double fraction);    ///< "82 %", "0.4 %", "<0.1 %"

}  // namespace plait
