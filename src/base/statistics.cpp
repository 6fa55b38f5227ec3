// SPDX-License-Identifier: BSD-3-Clause
// Statistics of timings: medians, their confidence intervals, and when to stop repeating.
#include "base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plait {
namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double fraction = place - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[below + 1] - sorted[below]);
}

/// The logarithm of n!. std::lgamma() sets a global variable, which threads would share.
double log_factorial(int n) {
  int sign = 0;
  return ::lgamma_r(n + 1.0, &sign);
}

/// P(B = i) for a binomial(n, 1/2) variable B; computed from logarithms, since 2^-n underflows for
/// large n.
double binomial_half(int n, int i) {
  return std::exp(log_factorial(n) - log_factorial(i) - log_factorial(n - i) - n * std::log(2.0));
}

}  // namespace

double quantile(std::vector<double> samples, double p) {
  std::sort(samples.begin(), samples.end());
  return quantile_of_sorted(samples, p);
}

std::pair<int, int> median_interval_ranks(int n, double confidence) {
  const double tail = (1.0 - confidence) / 2.0;
  // Find the largest l with P(B <= l - 1) <= tail; u mirrors it.
  double below = 0;
  int rank = 0;
  while (rank < n / 2) {
    below += binomial_half(n, rank);
    if (below > tail) break;
    ++rank;
  }
  const int low = std::max(rank, 1);
  return {low, n + 1 - low};
}

double MedianInterval::relative_width() const {
  if (!covers || median == 0) return std::numeric_limits<double>::infinity();
  return (high - low) / std::abs(median);
}

MedianInterval median_interval(const std::vector<double>& samples, double confidence) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const int n = static_cast<int>(sorted.size());
  const auto [low, high] = median_interval_ranks(n, confidence);
  MedianInterval result;
  result.median = quantile_of_sorted(sorted, 0.5);
  result.low = sorted[static_cast<std::size_t>(low - 1)];
  result.high = sorted[static_cast<std::size_t>(high - 1)];
  result.covers = 1.0 - std::pow(0.5, n - 1) >= confidence;
  return result;
}

bool converged(const std::vector<double>& samples, double relative_width) {
  if (samples.size() < static_cast<std::size_t>(kFewestForInterval)) return false;
  return median_interval(samples).relative_width() <= relative_width;
}

}  // namespace plait
