// SPDX-License-Identifier: BSD-3-Clause
// Compares two sweeps point by point.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/statistics.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A point that both sweeps measured.
struct PointChange {
  std::string name;
  MedianInterval a, b;  ///< of the figure of merit; ranges if there are too few runs
  double gain = 1;      ///< of B over A: above 1, B is better
  double low = 1;       ///< if both medians are at the ends of their intervals
  double high = 1;

  /// True if the intervals do not overlap.
  [[nodiscard]] bool differs() const { return low > 1 || high < 1; }
};

struct SweepComparison {
  std::string a, b;  ///< as the user named them
  Figure figure;
  std::vector<std::string> unfair;   ///< what else differs
  std::vector<PointChange> changes;  ///< in the order of A
  int only_a = 0;                    ///< points that only one of them measured
  int only_b = 0;
};

/// Compares the points with the same values.
/// @throws Error when the figures of merit differ, or no point is in both.
SweepComparison compare_sweeps(const std::string& a, const Sweep& of_a, const std::string& b,
                               const Sweep& of_b);

/// A sentence, a table, what makes the comparison unfair; at most 80 columns.
std::vector<std::string> comparison_lines(const SweepComparison& comparison);

/// As JSON: schema "plait-compare-sweeps", version 1.
nlohmann::json comparison_to_json(const SweepComparison& comparison);

}  // namespace plait::sweep
