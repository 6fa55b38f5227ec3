// SPDX-License-Identifier: BSD-3-Clause
// Two sweeps side by side: what differs, what cannot be compared.
#include "sweep/compare_sweeps.hpp"

#include <gtest/gtest.h>

#include "made_up_sweep.hpp"
#include "plait/error.hpp"

namespace plait::sweep {
namespace {

/// Ranks = 1 takes as long as ever, 2 ranks `two` times as long.
Sweep sweep_with(double two, const std::vector<std::string>& over) {
  Sweep sweep = made_up_sweep(over);
  make_all_runs(sweep, [two](const Point& point, int repetition) {
    return (point.ranks == 2 ? two : 1) * 8.0 / point.cores() + 0.01 * repetition;
  });
  return sweep;
}

TEST(CompareSweeps, PointsDifferIfTheirIntervalsDoNotOverlap) {
  const SweepComparison comparison =
      compare_sweeps("a", sweep_with(1, {"ranks=1,2,4"}), "b", sweep_with(2, {"ranks=2,1,8"}));
  ASSERT_EQ(comparison.changes.size(), 2U);
  EXPECT_FALSE(comparison.changes[0].differs());
  EXPECT_TRUE(comparison.changes[1].differs());
  EXPECT_NEAR(comparison.changes[1].gain, 0.5, 0.01);
  EXPECT_EQ(comparison.only_a, 1);
  EXPECT_EQ(comparison.only_b, 1);
  EXPECT_EQ(comparison_lines(comparison)[0],
            "Of 2 points, 0 are better in B and 1 worse; the others do not differ.");
  EXPECT_EQ(comparison_to_json(comparison)["points"].size(), 2U);
}

TEST(CompareSweeps, EqualSweepsDoNotDiffer) {
  const Sweep sweep = sweep_with(1, {"ranks=1,2"});
  EXPECT_EQ(comparison_lines(compare_sweeps("a", sweep, "b", sweep))[0],
            "No difference: the intervals of all 2 points overlap.");
}

TEST(CompareSweeps, RefusesOtherFiguresAndOtherPoints) {
  const Sweep sweep = sweep_with(1, {"ranks=1,2"});
  Sweep other = sweep;
  other.figure = {FigureKind::metric, "x", "GFLOPS", true};
  EXPECT_THROW(compare_sweeps("a", sweep, "b", other), Error);
  EXPECT_THROW(compare_sweeps("a", sweep, "b", sweep_with(1, {"ranks=4,8"})), Error);
}

}  // namespace
}  // namespace plait::sweep
