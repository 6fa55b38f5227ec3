// SPDX-License-Identifier: BSD-3-Clause
// How many times faster one way is than another, from runs in pairs, and whether that is decided.
#pragma once

#include <array>
#include <vector>

#include "measure/statistics.hpp"

namespace plait::measure {

/// Coverage asked before the planned number of pairs is reached: looking often must not make a
/// chance difference likely. It needs 8 pairs.
inline constexpr double kEarlyConfidence = 0.99;

/// What a comparison says.
enum class Comparison { undecided, faster, slower };

/// Median of old time / new time over pairs, with its interval.
/// @param seconds  {old, new} of each pair, all > 0; at least one pair
MedianInterval paired_ratio(const std::vector<std::array<double, 2>>& seconds,
                            double confidence = kConfidence);

/// Faster or slower when the interval of that confidence lies wholly above or below 1.
Comparison compare_pairs(const std::vector<std::array<double, 2>>& seconds, double confidence);

}  // namespace plait::measure
