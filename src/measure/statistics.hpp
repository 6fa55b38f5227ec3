// SPDX-License-Identifier: BSD-3-Clause
// The statistics of timings: medians, their confidence intervals, and when to stop repeating.
#pragma once

#include <utility>
#include <vector>

#include "base/median.hpp"

namespace plait::measure {

/// Coverage asked of the interval of a median.
inline constexpr double kConfidence = 0.95;
/// The fewest samples with which order statistics can give 95 % at all: 1 - 2 * 0.5^6 = 0.969.
inline constexpr int kFewestForInterval = 6;

/// The p-quantile (0 <= p <= 1) of the samples by linear interpolation between order statistics.
/// @param samples  in any order, at least one
double quantile(std::vector<double> samples, double p);

using plait::median;

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

  /// Width of the interval by the median; infinite while it does not cover.
  [[nodiscard]] double relative_width() const;
};

/// @param samples  in any order, at least one
MedianInterval median_interval(const std::vector<double>& samples, double confidence = kConfidence);

/// True when the interval of the median is at most `relative_width` of the median.
bool converged(const std::vector<double>& samples, double relative_width);

}  // namespace plait::measure
