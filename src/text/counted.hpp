// SPDX-License-Identifier: BSD-3-Clause
// Counts, alone and with their nouns: "1 rank", "2 ranks", "1.23 M messages".
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace plait {

/// Exact up to 99999, then three digits: "1.23 M".
std::string format_count(std::uint64_t count);

/// "1 rank", "2 ranks", "1.23 M messages". Pass an irregular plural as `more`:
/// counted(2, "process", "processes").
std::string counted(std::uint64_t number, std::string_view one, std::string_view more = {});

/// The same for a number of another type, which is not negative.
template <std::integral Number>
std::string counted(Number number, std::string_view one, std::string_view more = {}) {
  return counted(static_cast<std::uint64_t>(number), one, more);
}

}  // namespace plait
