// SPDX-License-Identifier: BSD-3-Clause
// Contestants that do the same work, timed in turn, so that a change of the machine's speed falls
// on all; and their statistics.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/statistics.hpp"

namespace plait::bench {

/// One way to do the work.
struct Contestant {
  std::string name;
  /// Does the work once and returns the seconds that it took.
  std::function<double()> seconds;
  double updates = 0;           ///< cell updates of one run
  std::vector<double> rates{};  ///< updates per second of each round
};

/// Runs all contestants in turn, the order reversed in every other round: one round to warm up,
/// then until `budget_s` is spent, at least seven rounds and at most `most_rounds`.
void run_in_turn(std::vector<Contestant>& contestants, double budget_s, int most_rounds);

/// Median and its 95 % interval of the rates in millions a second.
measure::MedianInterval mega_rate(const Contestant& contestant);

/// Median and interval of the rounds' ratios of rates.
measure::MedianInterval ratio(const Contestant& a, const Contestant& b);

/// Seconds that `body` takes.
double seconds_of(const std::function<void()>& body);

/// Runs `body(thread, threads)` on as many OpenMP threads, each bound to a CPU of its own.
/// @return seconds from the first's start to the last's end
double run_on_cores(int threads, const std::function<void(int, int)>& body);

/// CPUs that this process might use when this was called first, before any thread was bound.
const std::vector<int>& usable_cpus();

}  // namespace plait::bench
