// SPDX-License-Identifier: BSD-3-Clause
// Statistics of timings: medians, their confidence intervals, and when to stop repeating.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace plait {

/// Coverage of a median's interval, unless a caller asks for another.
inline constexpr double kConfidence = 0.95;
/// The fewest samples for which order statistics give 95 % at all: 1 - 2 * 0.5^6 = 0.969.
inline constexpr int kFewestForInterval = 6;

/// The middle value, or the mean of the two middle values of an even count; 0 for an empty list.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The p-quantile (0 <= p <= 1) of the samples by linear interpolation between order statistics.
/// @param samples  in any order, at least one
double quantile(std::vector<double> samples, double p);

/// Ranks (from 1) of the order statistics that bound the median of n independent samples with at
/// least `confidence`, whatever their distribution: the number of samples below the median is
/// binomial(n, 1/2), so [x(l), x(u)] covers it with probability sum_{i=l}^{u-1} C(n,i) / 2^n.
/// Le Boudec, Performance Evaluation of Computer and Communication Systems (2010), theorem 2.1.
/// @return the narrowest symmetric pair; {1, n} when n is too small for the confidence.
std::pair<int, int> median_interval_ranks(int n, double confidence = kConfidence);

/// A median with its interval.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
  bool covers = false;  ///< there were enough samples for the confidence

  /// Width of the interval divided by the median; infinite unless the interval covers it.
  [[nodiscard]] double relative_width() const;
};

/// The median and the interval that covers it with at least `confidence` (median_interval_ranks).
/// @param samples  in any order, at least one
MedianInterval median_interval(const std::vector<double>& samples, double confidence = kConfidence);

/// True when the interval of the median is no wider than `relative_width` times the median.
bool converged(const std::vector<double>& samples, double relative_width);

}  // namespace plait
