// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers and lists of the options of plait map.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait::advise {

/// The parts between separators; the whole text if there is no separator.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// @throws Error with `remedy` unless it is a number from `least` to `most`.
inline int parse_count(const std::string& text, int least, int most, const std::string& remedy) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw Error(text.empty() ? "\"\"" : text,
                "not a number from " + std::to_string(least) + " to " + std::to_string(most),
                remedy);
  }
  return value;
}

/// @throws Error unless it is a number of 0 or more.
inline double parse_weight(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) ||
      std::isinf(value)) {
    throw Error(text.empty() ? "\"\"" : text, "not a weight", "give a number of 0 or more");
  }
  return value;
}

}  // namespace plait::advise
