// SPDX-License-Identifier: BSD-3-Clause
// The memory-bound share of a program's computation, from ranks that had unequal memory bandwidth.
#include "placement/memory_bound.hpp"

#include <algorithm>

namespace plait::placement {

std::optional<double> memory_bound_share(const std::vector<ComputePoint>& points,
                                         double bandwidth_gbs) {
  if (points.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(),
      [](const auto& a, const auto& b) { return a.bandwidth_gbs < b.bandwidth_gbs; });
  // Below that, the noise of a run decides about the slope.
  constexpr double kLeastRatio = 1.1;
  if (least->bandwidth_gbs <= 0 || most->bandwidth_gbs < kLeastRatio * least->bandwidth_gbs) {
    return std::nullopt;
  }
  // A straight line through x = B / b: at 0 memory is infinitely fast, at 1 as fast as B.
  double ranks = 0, x_mean = 0, y_mean = 0;
  for (const ComputePoint& point : points) {
    ranks += point.ranks;
    x_mean += point.ranks * bandwidth_gbs / point.bandwidth_gbs;
    y_mean += point.ranks * point.compute_s;
  }
  x_mean /= ranks;
  y_mean /= ranks;
  double xx = 0, xy = 0;
  for (const ComputePoint& point : points) {
    const double x = bandwidth_gbs / point.bandwidth_gbs - x_mean;
    xx += point.ranks * x * x;
    xy += point.ranks * x * (point.compute_s - y_mean);
  }
  const double slope = xy / xx;
  const double at_one = y_mean + slope * (1 - x_mean);
  if (at_one <= 0) return slope > 0 ? 1.0 : 0.0;
  return std::clamp(slope / at_one, 0.0, 1.0);
}

}  // namespace plait::placement
