// SPDX-License-Identifier: BSD-3-Clause
// Random numbers for the search: the same on every machine and in every run.
#pragma once

#include <cstdint>

namespace plait::mapping {

/// xorshift64* (Vigna 2016).
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}

  /// A number in [0, below); below is at least 1.
  int below(int below) {
    return static_cast<int>((bits() >> 32U) * static_cast<std::uint64_t>(below) >> 32U);
  }
  /// A number in [0, 1).
  double fraction() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

private:
  std::uint64_t bits() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dU;
  }

  std::uint64_t state_;
};

}  // namespace plait::mapping
