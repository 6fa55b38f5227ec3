// SPDX-License-Identifier: BSD-3-Clause
// Lines on stderr that tell how far a long run is.
#pragma once

#include <chrono>

#include "options.hpp"
#include "plait/cartesian_grid.hpp"

namespace plait::jacobi {

/// Shows a line now and then: the first after two seconds, then one every five at most; on rank 0
/// of the world, where stderr is a terminal or --progress is given. Local; costs a look at the
/// clock a step.
class Progress {
public:
  Progress(const CartesianGrid& grid, const Options& options, int first_step);

  /// @param last_change  largest change of the last tested step; below 0: none
  void show(int steps, double last_change);

private:
  using Clock = std::chrono::steady_clock;
  bool shown_ = false;
  const Options& options_;
  double cells_ = 0.0;
  int first_step_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(2);
};

}  // namespace plait::jacobi
