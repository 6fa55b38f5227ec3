// SPDX-License-Identifier: BSD-3-Clause
// The ratio of the times of two contenders.
#pragma once

#include <algorithm>
#include <vector>

#include "base/statistics.hpp"

namespace plait::bench {

/// Median of the ratios of samples from the same rounds, with its 95 % interval.
/// @param above, below  at least one sample each
inline MedianInterval ratio_interval(const std::vector<double>& above,
                                     const std::vector<double>& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(above.size(), below.size()); ++i)
    ratios.push_back(above[i] / below[i]);
  return median_interval(ratios);
}

}  // namespace plait::bench
