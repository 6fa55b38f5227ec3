// SPDX-License-Identifier: BSD-3-Clause
// Sweeps with made-up times for tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sweep/schedule.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A sweep over ranks and threads of which nothing has run.
inline Sweep made_up_sweep(const std::vector<std::string>& over,
                           const std::vector<std::string>& weak = {}) {
  Grid grid;
  grid.command = {"mpiexec", "-n", "{ranks}", "app"};
  for (const std::string& text : over) {
    grid.over.push_back(parse_parameter(text));
    if (grid.over.back().name == kSize) grid.command.emplace_back("{size}");
  }
  for (const std::string& text : weak) grid.derived.push_back(parse_derived(text, true));
  Sweep sweep = new_sweep(grid, points_of(grid));
  sweep.figure.unit = "s";
  sweep.host_cpus = 8;
  return sweep;
}

/// A time of each point and repetition.
using Times = std::function<double(const Point& point, int repetition)>;

/// Makes the run that is next. @return false if there is none
inline bool make_run(Sweep& sweep, const Times& times) {
  const auto next = next_run(sweep);
  if (!next) return false;
  SweepPoint& point = sweep.points[next->point];
  const double seconds = times(point.point, next->repetition);
  point.runs.push_back(
      {point.folder + "/" + std::to_string(next->repetition), seconds, seconds, 0, 0, {}, {}});
  sweep.spent_s += seconds;
  return true;
}

inline void make_all_runs(Sweep& sweep, const Times& times) {
  while (make_run(sweep, times)) {
  }
}

}  // namespace plait::sweep
