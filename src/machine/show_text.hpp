// SPDX-License-Identifier: BSD-3-Clause
// Text helpers for the tables of a machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::machine {

/// Width of the tables, in columns.
inline constexpr std::size_t kColumns = 80;

/// "32 KiB", "1.5 MiB", "64 GiB"; "?" for 0, which means unknown.
std::string bytes_text(std::uint64_t bytes);

/// "0 B", "64 B", "4 KiB": a message size, for which 0 is valid.
std::string message_size_text(std::uint64_t bytes);

/// Three significant digits, at most four decimals: "0.0012", "0.0123", "1.23", "1234".
std::string number_text(double value);

/// Parts joined by blanks, in at most `width` columns; if they do not fit, the first ones, ".." and
/// the last one.
std::string abridged(const std::vector<std::string>& parts, std::size_t width);

/// Parts joined by blanks and wrapped to at most `most_lines` lines of at most `width` columns;
/// ".." replaces what does not fit.
std::vector<std::string> wrapped(const std::vector<std::string>& parts, std::size_t width,
                                 std::size_t most_lines);

}  // namespace plait::machine
