// SPDX-License-Identifier: BSD-3-Clause
// Decides which point runs next, when a point is measured well enough, and what the rest takes.
// Follows from the runs alone, so that a resumed sweep goes on as if it had not been interrupted.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A run to start.
struct NextRun {
  std::size_t point = 0;
  int repetition = 1;  ///< from 1
  /// After this time it is killed; empty: never.
  std::optional<double> limit_s;
  bool limited_by_budget = false;  ///< the limit is what is left of the budget
};

/// For each point, why it is not run again.
enum class Done {
  no,
  over,    ///< left out or failed
  enough,  ///< as many runs as wanted, or an interval as narrow as wanted
  /// In a smart sweep: after one run a quarter more than all runs of the best point with the same
  /// work, or half as much again if other programs used the CPUs, or longer than them if the point
  /// has a bound; after more runs, all of them longer than the median of that point.
  worse,
  /// In a smart sweep: its predicted interval is a tenth above all runs of that best point.
  predicted_worse,
  /// In a smart sweep: its cores share CPUs, and it can be at most a tenth better than that point.
  no_better,
};

std::vector<Done> done_points(const Sweep& sweep);

/// The next run; nothing if all points are done, or those that are not would exceed the budget.
/// Each round has one run of each point that is not done. Every second round is in reverse order,
/// so that drift affects all points equally. The first round of a smart sweep begins
/// with the point farthest from those that have run, so that the others can be predicted; points
/// whose cores share CPUs come last.
std::optional<NextRun> next_run(const Sweep& sweep);

/// The expected time of a run: the median of the point's runs, or of the longest point so far times
/// the ratio of cores, if that is above 1; empty if nothing has run.
std::optional<double> expected_s(const Sweep& sweep, const SweepPoint& point);

/// The runs that are left.
struct Rest {
  int unmeasured = 0;              ///< points without a run
  int points = 0;                  ///< that are not done
  int fewest = 0;                  ///< runs, if all intervals are narrow as early as possible
  int most = 0;                    ///< runs
  std::optional<double> fewest_s;  ///< their time; empty: nothing has run
  std::optional<double> most_s;
};

Rest rest_of(const Sweep& sweep);

}  // namespace plait::sweep
