// SPDX-License-Identifier: BSD-3-Clause
// Variable-length numbers, as Protocol Buffers and Thrift encode them.
#pragma once

#include <cstdint>
#include <string>

namespace plait::exports {

/// Appends `value` with seven bits per byte, low bits first.
inline void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) to += static_cast<char>(value | 0x80U);
  to += static_cast<char>(value);
}

/// Maps signed numbers to unsigned ones: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}

}  // namespace plait::exports
