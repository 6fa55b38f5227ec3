// SPDX-License-Identifier: BSD-3-Clause
// Small pieces of text that the tables of a machine are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::machine {

/// Width of the tables, in columns.
inline constexpr std::size_t kColumns = 80;

/// "32 KiB", "1.5 MiB", "64 GiB"; "?" for 0 (not known).
std::string bytes_text(std::uint64_t bytes);

/// "0 B", "64 B", "4 KiB": a message size, in which 0 is a size.
std::string message_size_text(std::uint64_t bytes);

/// Three significant digits, at most four after the point: "0.0012", "0.0123", "1.23", "1234".
std::string number_text(double value);

/// Words joined by blanks in at most `width` columns; where they do not fit, the first ones, ".."
/// and the last one.
std::string abridged(const std::vector<std::string>& words, std::size_t width);

/// Words joined by blanks, broken into lines of at most `width` columns and at most `most_lines`
/// lines; what does not fit is left out behind "..".
std::vector<std::string> wrapped(const std::vector<std::string>& words, std::size_t width,
                                 std::size_t most_lines);

}  // namespace plait::machine
