// SPDX-License-Identifier: BSD-3-Clause
// Times contestants that do the same work, and computes their statistics. They run in turn, so that
// a change of the machine's speed affects all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/statistics.hpp"

namespace plait::bench {

/// One way to do the work.
struct Contestant {
  std::string name;
  /// Does the work once and returns its time in seconds.
  std::function<double()> seconds;
  double updates = 0;           ///< cell updates of one run
  std::vector<double> rates{};  ///< updates per second of each round
};

/// Runs all contestants in turn, in reverse order in every other round: first one round to warm up,
/// then rounds until `budget_s` is spent, at least seven and at most `most_rounds`.
void run_in_turn(std::vector<Contestant>& contestants, double budget_s, int most_rounds);

/// Median of the rates in millions per second, with its 95 % interval.
MedianInterval mega_rate(const Contestant& contestant);

/// Median of the ratios of rates over all rounds, with its 95 % interval.
MedianInterval ratio(const Contestant& a, const Contestant& b);

/// The time of `body` in seconds.
double seconds_of(const std::function<void()>& body);

/// Runs `body(thread, threads)` on OpenMP threads that are bound to different CPUs.
/// @return seconds from the start of the first thread to the end of the last
double run_on_cores(int threads, const std::function<void(int, int)>& body);

/// The CPUs that this process could use at the first call, before any thread was bound.
const std::vector<int>& usable_cpus();

}  // namespace plait::bench
