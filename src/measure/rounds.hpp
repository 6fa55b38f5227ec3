// SPDX-License-Identifier: BSD-3-Clause
// Repeats measurements in rounds of random order until they are certain or the time is up.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "measure/clock.hpp"

namespace plait::measure {

/// When to stop.
struct RoundsPlan {
  double seconds = 1;           ///< time budget; the first round is always finished
  double relative_width = 0.1;  ///< of the 95 % interval of the median
  int max_rounds = 50;
};

/// Samples of each cell (a message size, a kernel, ...), in the order in which they were taken.
struct RoundsResult {
  std::vector<std::vector<double>> samples;
  int converged = 0;  ///< how many cells reached the width
};

/// In each round visits every cell that is not yet certain, in a new random order, so that a slow
/// drift of the machine does not look like a property of one cell.
/// @param sample  measures a cell once
RoundsResult sample_in_rounds(std::size_t cells, const RoundsPlan& plan, std::mt19937& random,
                              const std::function<double(std::size_t cell)>& sample);

}  // namespace plait::measure
