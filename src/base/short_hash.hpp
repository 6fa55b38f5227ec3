// SPDX-License-Identifier: BSD-3-Clause
// Short names for long keys.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace plait {

/// FNV-1a of 32 bits, as 8 hexadecimal digits: the same in all builds, so that file names stay.
inline std::string short_hash(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace plait
