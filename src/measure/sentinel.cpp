// SPDX-License-Identifier: BSD-3-Clause
// Judges from the samples of the sentinel whether the speed of the machine changed.
#include "measure/sentinel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.hpp"
#include "text/ratio.hpp"

namespace plait::measure {
namespace {

constexpr std::size_t kFewestToJudge = 4;

std::vector<double> values_of(const std::vector<SentinelSample>& samples) {
  std::vector<double> values;
  for (const SentinelSample& sample : samples) values.push_back(sample.ns);
  return values;
}

bool beyond_tolerance(double factor) {
  return std::abs(std::log(factor)) > std::log1p(kSpeedTolerance);
}

double wide_spread(const std::vector<double>& values) {
  return quantile(values, 0.9) / quantile(values, 0.1);
}

}  // namespace

SpeedChange likeliest_change(const std::vector<double>& samples) {
  SpeedChange likeliest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t at = 2; at + 2 <= samples.size(); ++at) {
    const auto split = samples.begin() + static_cast<std::ptrdiff_t>(at);
    const double before = median({samples.begin(), split});
    const double after = median({split, samples.end()});
    double deviation = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      deviation += std::abs(samples[i] - (i < at ? before : after));
    }
    if (deviation >= least) continue;
    least = deviation;
    likeliest = {at, after / before};
  }
  return likeliest;
}

machine::Sentinel judge_sentinel(const std::vector<SentinelSample>& samples) {
  machine::Sentinel sentinel;
  sentinel.kernel = "integer chain";
  sentinel.unit = "ns";
  sentinel.samples = values_of(samples);
  if (samples.empty()) return sentinel;
  const std::vector<double>& values = sentinel.samples;
  sentinel.median = median(values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  sentinel.spread = (*high - *low) / sentinel.median;
  sentinel.changed =
      values.size() >= kFewestToJudge &&
      (beyond_tolerance(likeliest_change(values).factor) || beyond_tolerance(wide_spread(values)));
  return sentinel;
}

std::string sentinel_warning(const std::vector<SentinelSample>& samples) {
  if (!judge_sentinel(samples).changed) return {};
  const std::vector<double> values = values_of(samples);
  const SpeedChange change = likeliest_change(values);
  const std::string what =
      beyond_tolerance(change.factor)
          ? fmt::format("the machine became {} times {} from \"{}\" on",
                        format_ratio(std::max(change.factor, 1 / change.factor)),
                        change.factor > 1 ? "slower" : "faster", samples[change.at].before)
          : fmt::format("the speed of the machine varied by a factor of {}",
                        format_ratio(wide_spread(values)));
  return what +
         " (a fixed integer kernel took a different time); results from before and after are not "
         "comparable; measure again on an idle node with a fixed clock frequency";
}

}  // namespace plait::measure
