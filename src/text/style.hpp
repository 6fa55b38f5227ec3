// SPDX-License-Identifier: BSD-3-Clause
// Terminal colours.
#pragma once

#include <string>

namespace plait {

enum class Paint { none, bold, dim, red, yellow, green, blue, cyan };

/// The text with the escape sequences of a colour; unchanged unless `color`.
inline std::string paint(const std::string& text, Paint with, bool color) {
  if (!color || with == Paint::none || text.empty()) return text;
  const char* code = "0";
  switch (with) {
    case Paint::bold:
      code = "1";
      break;
    case Paint::dim:
      code = "2";
      break;
    case Paint::red:
      code = "31";
      break;
    case Paint::yellow:
      code = "33";
      break;
    case Paint::green:
      code = "32";
      break;
    case Paint::blue:
      code = "34";
      break;
    case Paint::cyan:
      code = "36";
      break;
    case Paint::none:
      break;
  }
  return "\033[" + std::string(code) + "m" + text + "\033[0m";
}

}  // namespace plait
