// SPDX-License-Identifier: BSD-3-Clause
// Hash functions with the same results in every run.
#pragma once

#include <cstdint>
#include <string_view>

namespace plait::analysis {

/// splitmix64's finalizer.
constexpr std::uint64_t mix(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

/// Hash of an ordered pair.
constexpr std::uint64_t mix(std::uint64_t first, std::uint64_t second) {
  return mix(mix(first) + second);
}

/// FNV-1a.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char one : text) {
    hash = (hash ^ static_cast<unsigned char>(one)) * 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace plait::analysis
