// SPDX-License-Identifier: BSD-3-Clause
// Emulates the computation of a node by sleeping: threads run at the speed of Stengel's nodes but
// leave the CPU idle, so that a machine with too few cores can emulate his.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace plait::bench {

/// Threads that share the memory of a node: k active threads together update P(k) cells per second.
class AsleepNode {
public:
  /// @param cells_per_s  P(1), P(2), ...; more threads than entries share the last
  explicit AsleepNode(std::vector<double> cells_per_s) : cells_per_s_(std::move(cells_per_s)) {}

  /// Sleeps for the time that this thread would take to update `cells` cells. The speed depends on
  /// the number of threads in this function. Excess sleep is credited to a call that follows
  /// immediately.
  void work(std::int64_t cells);

private:
  [[nodiscard]] double speed_of_one() const;

  std::vector<double> cells_per_s_;
  std::atomic<int> working_{0};
};

}  // namespace plait::bench
