// SPDX-License-Identifier: BSD-3-Clause
// Divides texts into parts.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plait {

/// The parts of a text between blanks, without quotes: "--bind-to core" gives two.
inline std::vector<std::string> split_at_blanks(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char letter : text + " ") {
    if (letter != ' ') {
      part += letter;
    } else if (!part.empty()) {
      parts.push_back(std::move(part));
      part.clear();
    }
  }
  return parts;
}

}  // namespace plait
