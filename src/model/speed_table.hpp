// SPDX-License-Identifier: BSD-3-Clause
// P(k): the measured speed of a kernel on k cores of a node.
#pragma once

#include <utility>
#include <vector>

namespace plait::model {

/// Which end of a measured value's confidence interval.
enum class Bound { low, value, high };

/// Speed on some cores, cells a second, with its confidence interval.
struct SpeedPoint {
  int cores = 1;
  double cells_per_s = 0;
  double low = 0;   ///< 0: not known, taken as cells_per_s
  double high = 0;  ///< 0: not known, taken as cells_per_s
};

/// Speed by number of cores, cells a second (Stengel 2010, equation 2.2: t_sweep = L^3 / P_sweep).
/// Between measured numbers of cores it is interpolated linearly, below the smallest on the line
/// to P(0) = 0, beyond the largest it stays (memory is saturated: equation 2.3).
class SpeedTable {
public:
  /// @param points  (cores >= 1, cells a second > 0), at least one, each number of cores once, in
  ///                any order
  /// @throws Error when empty, not positive and finite, or a number of cores comes twice.
  explicit SpeedTable(const std::vector<std::pair<int, double>>& points);
  /// The same with intervals. @throws Error also when an interval does not hold its value.
  static SpeedTable with_intervals(std::vector<SpeedPoint> points);
  /// P(k) = k * speed: nothing saturates.
  static SpeedTable linear(double cells_per_s_of_one, int cores);

  /// Cells a second on `cores` cores; 0 on none.
  [[nodiscard]] double at(int cores, Bound bound = Bound::value) const;
  [[nodiscard]] int cores() const;  ///< largest measured number
  /// What was measured, in rising order of cores.
  [[nodiscard]] const std::vector<SpeedPoint>& points() const { return points_; }

private:
  SpeedTable() = default;
  std::vector<SpeedPoint> points_;
};

}  // namespace plait::model
