// SPDX-License-Identifier: BSD-3-Clause
// P(k): the measured speed of a kernel on k cores of a node.
#include "model/speed_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "plait/error.hpp"

namespace plait::model {
namespace {

double end_of(const SpeedPoint& point, Bound bound) {
  if (bound == Bound::low && point.low > 0) return point.low;
  if (bound == Bound::high && point.high > 0) return point.high;
  return point.cells_per_s;
}

[[noreturn]] void refuse(const SpeedPoint& point, const std::string& reason) {
  throw Error("P(" + std::to_string(point.cores) + ")", reason,
              "measure the machine again: plait measure");
}

void check(const SpeedPoint& point) {
  if (point.cores < 1) refuse(point, "the number of cores is less than 1");
  if (!(point.cells_per_s > 0) || !std::isfinite(point.cells_per_s)) {
    refuse(point, "not a positive speed");
  }
  if (end_of(point, Bound::low) > point.cells_per_s ||
      end_of(point, Bound::high) < point.cells_per_s) {
    refuse(point, "the value is outside its interval");
  }
}

}  // namespace

SpeedTable SpeedTable::with_intervals(std::vector<SpeedPoint> points) {
  if (points.empty()) {
    throw Error("P(k)", "the speed of the kernel is unknown", "run plait measure");
  }
  std::sort(points.begin(), points.end(),
            [](const SpeedPoint& a, const SpeedPoint& b) { return a.cores < b.cores; });
  for (std::size_t i = 0; i < points.size(); ++i) {
    check(points[i]);
    if (i > 0 && points[i].cores == points[i - 1].cores) refuse(points[i], "given twice");
  }
  SpeedTable table;
  table.points_ = std::move(points);
  return table;
}

SpeedTable::SpeedTable(const std::vector<std::pair<int, double>>& points) {
  std::vector<SpeedPoint> all;
  all.reserve(points.size());
  for (const auto& [cores, cells_per_s] : points) all.push_back({cores, cells_per_s, 0, 0});
  *this = with_intervals(std::move(all));
}

SpeedTable SpeedTable::linear(double cells_per_s_of_one, int cores) {
  SpeedPoint one{1, cells_per_s_of_one, 0, 0};
  if (cores <= 1) return with_intervals({one});
  return with_intervals({one, {cores, cells_per_s_of_one * cores, 0, 0}});
}

double SpeedTable::at(int cores, Bound bound) const {
  if (cores <= 0) return 0;
  const auto above =
      std::lower_bound(points_.begin(), points_.end(), cores,
                       [](const SpeedPoint& point, int k) { return point.cores < k; });
  if (above == points_.end()) return end_of(points_.back(), bound);
  if (above->cores == cores) return end_of(*above, bound);
  const int below_cores = above == points_.begin() ? 0 : std::prev(above)->cores;
  const double below = above == points_.begin() ? 0 : end_of(*std::prev(above), bound);
  const double part = static_cast<double>(cores - below_cores) / (above->cores - below_cores);
  return below + part * (end_of(*above, bound) - below);
}

int SpeedTable::cores() const {
  return points_.back().cores;
}

}  // namespace plait::model
