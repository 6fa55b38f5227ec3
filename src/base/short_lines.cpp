// SPDX-License-Identifier: BSD-3-Clause
// Text of other programs, prepared for regular expressions.
#include "base/short_lines.hpp"

#include <cstddef>

namespace plait {

std::string with_short_lines(std::string_view text) {
  constexpr std::size_t kMost = 500;
  std::string out;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == '\n' ? 0 : length + 1;
    if (length <= kMost) out += c;
  }
  return out;
}

}  // namespace plait
