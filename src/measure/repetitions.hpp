// SPDX-License-Identifier: BSD-3-Clause
// How often an exchange is repeated within one sample.
#pragma once

#include <algorithm>

namespace plait::measure {

/// Repetitions that fill about `target_s`, from 1 to 5000.
/// @param one_s  seconds of one, as estimated
inline int repetitions_for(double one_s, double target_s) {
  constexpr double kMost = 5000;
  return static_cast<int>(std::clamp(target_s / std::max(one_s, 1e-9), 1.0, kMost));
}

/// Seconds that one sample should last: long against the clock, short against an interruption.
inline constexpr double kSampleSeconds = 200e-6;
/// How many exchanges, not recorded, come first and tell how many make a sample.
inline constexpr int kWarmUp = 4;

}  // namespace plait::measure
