// SPDX-License-Identifier: BSD-3-Clause
// Text of other programs, prepared for regular expressions.
#pragma once

#include <string>
#include <string_view>

namespace plait {

/// Text that std::regex can search. It takes stack for each character that a repetition matches,
/// and a program may print a line of any length. A repetition must not match the end of a line.
/// @returns `text` with lines of at most 500 characters
std::string with_short_lines(std::string_view text);

}  // namespace plait
