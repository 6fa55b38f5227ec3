// SPDX-License-Identifier: BSD-3-Clause
// A small generator for property-based tests: the same cases on every machine and in every run.
#pragma once

#include <cstdint>

namespace plait::test {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// A number in [low, high].
  int in(int low, int high) {
    return low + static_cast<int>(bits() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  bool coin() { return (bits() & 1U) != 0; }

private:
  std::uint64_t state_;
};

}  // namespace plait::test
