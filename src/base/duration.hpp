// SPDX-License-Identifier: BSD-3-Clause
// Parses long times as a user types them: 90s, 30min, 2h.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "plait/error.hpp"

namespace plait {

/// Seconds from "90s", "30min", "1.5 h".
/// @throws Error that lists the units when it is not a positive time.
inline double parse_duration(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
      {{"s", 1}, {"min", 60}, {"h", 3600}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, seconds] : kUnits) {
    if (error == std::errc{} && unit == name && number > 0 && std::isfinite(number)) {
      return number * seconds;
    }
  }
  throw Error(text, "not a time", "give a positive number with a unit, such as 30min (s, min, h)");
}

}  // namespace plait
