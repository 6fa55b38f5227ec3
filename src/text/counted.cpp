// SPDX-License-Identifier: BSD-3-Clause
// Counts, alone and with their nouns: "1 rank", "2 ranks", "1.23 M messages".
#include "text/counted.hpp"

#include <fmt/format.h>

#include <array>

#include "text/units.hpp"

namespace plait {

std::string format_count(std::uint64_t count) {
  if (count < 100000) return fmt::format("{}", count);
  constexpr std::array<const char*, 6> kUnits{"k", "M", "G", "T", "P", "E"};
  double value = static_cast<double>(count) / 1e3;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1e3;
    ++unit;
  }
  return format_number(value) + " " + kUnits[unit];
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view more) {
  std::string text = format_count(number) + ' ';
  if (number == 1) return text.append(one);
  return more.empty() ? text.append(one) + 's' : text.append(more);
}

}  // namespace plait
