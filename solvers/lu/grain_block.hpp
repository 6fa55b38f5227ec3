// SPDX-License-Identifier: BSD-3-Clause
// Tasks of one block of thread-to-thread overlap (Viet et al. 2005): grains that a team computes
// while its master thread communicates.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace plait::lu {

/// Declare tasks in the order in which they should run; then run() once. A task may wait only for
/// tasks that are declared earlier, so that every graph can be completed. Not copyable.
class GrainBlock {
public:
  struct Task {
    int index = -1;
  };

  /// @param progress  called by the master thread after each of its grains
  GrainBlock(int threads, std::function<void()> progress)
      : threads_(threads), progress_(std::move(progress)) {}

  /// A computation of `grains` parts, which threads take in order.
  Task compute(int grains, std::function<void(int grain)> run);
  /// A communication, done by the master thread in order of declaration.
  Task communicate(std::function<void()> run);
  /// All of `later` waits for all of `earlier`.
  void after(Task later, Task earlier);

  /// Returns when all tasks are complete. The master thread computes while it cannot communicate.
  void run();

private:
  struct Work {
    int grains = 0;
    bool communicates = false;
    std::function<void(int)> run;
    std::vector<int> earlier;
    std::atomic<int> complete{0};
  };

  Task add(int grains, bool communicates, std::function<void(int)> run);
  [[nodiscard]] bool ready(const Work& work) const;
  void communicate_and_help();
  void compute_rest();
  bool compute_if_ready();
  void compute_grain(int position);

  int threads_;
  std::function<void()> progress_;
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<std::pair<Work*, int>> grains_;  ///< of all computations, in order
  std::atomic<int> next_{0};                   ///< of grains_
};

}  // namespace plait::lu
