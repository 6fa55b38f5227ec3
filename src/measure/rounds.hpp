// SPDX-License-Identifier: BSD-3-Clause
// Repeats measurements in rounds of random order until they have converged or time runs out.
#pragma once

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "measure/clock.hpp"

namespace plait::measure {

/// When to stop.
struct RoundsPlan {
  double seconds = 1;           ///< time budget; the first round is always completed
  double relative_width = 0.1;  ///< of the 95 % interval of the median
  int max_rounds = 50;
};

/// One sample of a cell.
struct Sample {
  // NOLINTNEXTLINE(google-explicit-constructor): a value without disturbance is a sample
  Sample(double of, double waiting = 0) : value(of), waited(waiting) {}
  double value;
  double waited;  ///< the largest fraction of it that a thread waited for a CPU
};

/// From this fraction on a sample counts as disturbed.
inline constexpr double kDisturbedSample = 0.05;
/// The samples of each cell (a message size, a kernel, ...) in the order in which they were taken.
/// Disturbed samples are left out if there is any other.
struct RoundsResult {
  std::vector<std::vector<double>> samples;
  std::vector<int> disturbed;  ///< of each cell: how many of its samples are disturbed: all or none
  int converged = 0;           ///< number of cells that reached the width
};

/// Takes samples in rounds. Each round visits every cell that has not converged yet in a new random
/// order, so that a slow drift of the machine does not look like a property of one cell. Only
/// undisturbed samples make a cell converge, so disturbed ones are repeated while there is time.
/// @param sample  measures a cell once
RoundsResult sample_in_rounds(std::size_t cells, const RoundsPlan& plan, std::mt19937& random,
                              const std::function<Sample(std::size_t cell)>& sample);

/// Seconds that one sample should last: long compared with the clock resolution, short compared
/// with the time between interruptions.
inline constexpr double kSampleSeconds = 200e-6;
/// Exchanges that come first and are not recorded; their time determines the repetitions per
/// sample.
inline constexpr int kWarmUp = 4;

/// The repetitions that fill about `target_s`, from 1 to 5000.
/// @param one_s  estimated seconds of one repetition
inline int repetitions_for(double one_s, double target_s) {
  constexpr double kMost = 5000;
  return static_cast<int>(std::clamp(target_s / std::max(one_s, 1e-9), 1.0, kMost));
}

}  // namespace plait::measure
