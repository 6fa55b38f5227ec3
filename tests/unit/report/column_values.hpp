// SPDX-License-Identifier: BSD-3-Clause
// Reads columns of integers as the page does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::report {

/// The bytes of a text in base64.
inline std::string bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char letter : text) {
    const std::size_t value = digits.find(letter);
    if (value == std::string::npos) break;
    bits = bits << 6U | static_cast<unsigned>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(held) & 0xffU);
  }
  return bytes;
}

/// The integers of joined columns, zigzag not undone.
inline std::vector<std::uint64_t> values_of(const std::string& text) {
  std::vector<std::uint64_t> values;
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const char letter : bytes_of(text)) {
    const auto byte = static_cast<unsigned char>(letter);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    shift += 7;
    if ((byte & 0x80U) != 0) continue;
    values.push_back(value);
    value = 0;
    shift = 0;
  }
  return values;
}

/// A signed value of a column.
inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

}  // namespace plait::report
