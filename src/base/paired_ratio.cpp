// SPDX-License-Identifier: BSD-3-Clause
// The speedup of one variant over another from pairs of runs, and whether it is significant.
#include "base/paired_ratio.hpp"

namespace plait {

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

}  // namespace plait
