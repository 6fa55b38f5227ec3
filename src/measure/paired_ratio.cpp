// SPDX-License-Identifier: BSD-3-Clause
// How many times faster one way is than another, from runs in pairs, and whether that is decided.
#include "measure/paired_ratio.hpp"

namespace plait::measure {

MedianInterval paired_ratio(const std::vector<std::array<double, 2>>& seconds, double confidence) {
  std::vector<double> ratios;
  ratios.reserve(seconds.size());
  for (const auto& [before, after] : seconds) ratios.push_back(before / after);
  return median_interval(ratios, confidence);
}

Comparison compare_pairs(const std::vector<std::array<double, 2>>& seconds, double confidence) {
  if (seconds.empty()) return Comparison::undecided;
  const MedianInterval ratio = paired_ratio(seconds, confidence);
  if (!ratio.covers) return Comparison::undecided;
  if (ratio.low > 1) return Comparison::faster;
  return ratio.high < 1 ? Comparison::slower : Comparison::undecided;
}

}  // namespace plait::measure
