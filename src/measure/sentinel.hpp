// SPDX-License-Identifier: BSD-3-Clause
// Judges the sentinel's samples: when fixed work takes another time, the machine's speed changed.
#pragma once

#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::measure {

/// One sample and the block of measurements before which it was taken.
struct SentinelSample {
  double ns = 0;
  std::string before;
};

/// A lasting change of speed.
struct SpeedChange {
  std::size_t at = 0;  ///< first sample after it
  double factor = 1;   ///< median after / median before; > 1: slower
};

/// From this factor on a machine counts as changed.
inline constexpr double kSpeedTolerance = 0.05;

/// The split of the samples (two at least on each side) that explains them best: with the least sum
/// of distances from the median before and the median after.
SpeedChange likeliest_change(const std::vector<double>& samples);

/// The sentinel's part of the machine file. `changed` when the medians of a split differ by more
/// than 5 %, or the tenth and ninetieth percentiles do: a single outlier is no change.
machine::Sentinel judge_sentinel(const std::vector<SentinelSample>& samples);

/// What changed, why it may mislead, what to do; empty when nothing did.
std::string sentinel_warning(const std::vector<SentinelSample>& samples);

}  // namespace plait::measure
