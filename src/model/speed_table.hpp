// SPDX-License-Identifier: BSD-3-Clause
// P(k): the measured speed of a kernel on k cores of a node.
#pragma once

#include <utility>
#include <vector>

namespace plait::model {

/// The measured value, or an end of its confidence interval.
enum class Bound { low, value, high };

/// Speed on a number of cores, in cells per second, with its confidence interval.
struct SpeedPoint {
  int cores = 1;
  double cells_per_s = 0;
  double low = 0;   ///< 0: unknown, use cells_per_s
  double high = 0;  ///< 0: unknown, use cells_per_s
};

/// Speed by number of cores, in cells per second (Stengel 2010, equation 2.2: t_sweep = L^3 /
/// P_sweep). It is interpolated linearly between measured numbers of cores and from P(0) = 0 to the
/// smallest one. Beyond the largest it is constant, because memory is saturated (equation 2.3).
class SpeedTable {
public:
  /// @param points  (cores >= 1, cells per second > 0) in any order; at least one, and each number
  /// of
  ///                cores only once
  /// @throws Error when there are no points, a speed is not positive and finite, or a number of
  /// cores
  ///         occurs twice.
  explicit SpeedTable(const std::vector<std::pair<int, double>>& points);
  /// The same with intervals.
  /// @throws Error also when a value is outside its interval.
  static SpeedTable with_intervals(std::vector<SpeedPoint> points);
  /// P(k) = k * speed up to `cores`, without saturation.
  static SpeedTable linear(double cells_per_s_of_one, int cores);

  /// Cells per second on `cores` cores; 0 for no cores.
  [[nodiscard]] double at(int cores, Bound bound = Bound::value) const;
  [[nodiscard]] int cores() const;  ///< largest measured number
  /// The measured points in ascending order of cores.
  [[nodiscard]] const std::vector<SpeedPoint>& points() const { return points_; }

private:
  SpeedTable() = default;
  std::vector<SpeedPoint> points_;
};

}  // namespace plait::model
