// SPDX-License-Identifier: BSD-3-Clause
// The speedup of one variant over another from pairs of runs, and whether it is significant.
#pragma once

#include <array>
#include <vector>

#include "base/statistics.hpp"

namespace plait {

/// Coverage required before the planned number of pairs is reached. It is higher than kConfidence
/// because repeated looks make a chance difference more likely. It needs 8 pairs.
inline constexpr double kEarlyConfidence = 0.99;

/// The outcome of a comparison.
enum class Comparison { undecided, faster, slower };

/// Median of old time / new time over the pairs, with its interval; above 1 the new one is faster.
/// @param seconds  {old, new} of each pair, all > 0; at least one pair
MedianInterval paired_ratio(const std::vector<std::array<double, 2>>& seconds,
                            double confidence = kConfidence);

/// Faster or slower when the whole interval of that confidence is above or below 1. No pairs, or
/// too few for the confidence, are undecided.
/// @param seconds  {old, new} of each pair, all > 0
Comparison compare_pairs(const std::vector<std::array<double, 2>>& seconds, double confidence);

}  // namespace plait
