// SPDX-License-Identifier: BSD-3-Clause
// P(k): the measured speed of a kernel on k cores of a node.
#pragma once

#include <utility>
#include <vector>

namespace plait::model {

/// Speed by number of cores, cells a second. Between measured numbers of cores it is interpolated,
/// beyond the largest it stays (memory is saturated).
class SpeedTable {
public:
  /// @param points  (cores >= 1, cells a second > 0), at least one, in any order
  /// @throws Error when empty or not positive.
  explicit SpeedTable(std::vector<std::pair<int, double>> points);
  /// P(k) = k * speed: nothing saturates.
  static SpeedTable linear(double cells_per_s_of_one, int cores);

  [[nodiscard]] double at(int cores) const;
  [[nodiscard]] int cores() const;  ///< largest measured number

private:
  std::vector<std::pair<int, double>> points_;
};

}  // namespace plait::model
