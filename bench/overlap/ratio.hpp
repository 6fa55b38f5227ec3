// SPDX-License-Identifier: BSD-3-Clause
// By how much one contender is slower than another.
#pragma once

#include <algorithm>
#include <vector>

#include "measure/statistics.hpp"

namespace plait::bench {

/// Median and its interval of the ratios of samples that were taken side by side, round by round.
/// @param above, below  at least one sample each
inline measure::MedianInterval ratio_interval(const std::vector<double>& above,
                                              const std::vector<double>& below) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(above.size(), below.size()); ++i)
    ratios.push_back(above[i] / below[i]);
  return measure::median_interval(ratios);
}

}  // namespace plait::bench
