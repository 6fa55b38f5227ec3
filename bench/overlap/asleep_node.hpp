// SPDX-License-Identifier: BSD-3-Clause
// A node's computation spent asleep: threads that work at the speed of Stengel's nodes and leave
// the processor free, so that a machine with too few cores can stand for his.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace plait::bench {

/// Threads that share a node's memory: k of them at work update P(k) cells a second together.
class AsleepNode {
public:
  /// @param cells_per_s  P(1), P(2), ...; more threads than entries share the last
  explicit AsleepNode(std::vector<double> cells_per_s) : cells_per_s_(std::move(cells_per_s)) {}

  /// Sleeps for as long as this thread would take to update `cells` cells, at a speed that follows
  /// how many threads are in this function. What it sleeps too long is credited to a call
  /// that follows at once.
  void work(std::int64_t cells);

private:
  [[nodiscard]] double speed_of_one() const;

  std::vector<double> cells_per_s_;
  std::atomic<int> working_{0};
};

}  // namespace plait::bench
