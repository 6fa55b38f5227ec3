// SPDX-License-Identifier: BSD-3-Clause
// Converts samples to the statistics of the machine file.
#include "measure/summarize.hpp"

#include <algorithm>

#include "base/statistics.hpp"

namespace plait::measure {

machine::Statistic summarize(const std::vector<double>& samples, int disturbed) {
  machine::Statistic statistic;
  statistic.disturbed = disturbed;
  statistic.n = static_cast<int>(samples.size());
  statistic.samples = samples;
  if (samples.empty()) return statistic;
  const MedianInterval interval = median_interval(samples);
  statistic.min = *std::min_element(samples.begin(), samples.end());
  statistic.median = interval.median;
  statistic.ci_low = interval.low;
  statistic.ci_high = interval.high;
  return statistic;
}

}  // namespace plait::measure
