// SPDX-License-Identifier: BSD-3-Clause
// Judges from the samples of the sentinel, a kernel of fixed work, whether the speed of the machine
// changed.
#pragma once

#include <string>
#include <vector>

#include "machine/measured.hpp"

namespace plait::measure {

/// One sample, and the part of the measurement that followed it.
struct SentinelSample {
  double ns = 0;
  std::string before;
};

/// A lasting change of speed.
struct SpeedChange {
  std::size_t at = 0;  ///< first sample after the change
  double factor = 1;   ///< median after / median before; > 1: slower
};

/// The relative difference above which the speed counts as changed.
inline constexpr double kSpeedTolerance = 0.05;

/// The split of the samples, with at least two on each side, that explains them best: the sum of
/// distances from the medians before and after the split is minimal.
SpeedChange likeliest_change(const std::vector<double>& samples);

/// The sentinel part of the machine file. `changed` is true if the medians before and after a
/// split, or the 10th and 90th percentiles, differ by more than 5 %; a single outlier does not
/// count.
machine::Sentinel judge_sentinel(const std::vector<SentinelSample>& samples);

/// A sentence: what changed, why it may mislead, and what to do; empty if nothing changed.
std::string sentinel_warning(const std::vector<SentinelSample>& samples);

}  // namespace plait::measure
