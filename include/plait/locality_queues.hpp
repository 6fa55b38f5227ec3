// SPDX-License-Identifier: BSD-3-Clause
// Task queues, one a NUMA domain, for tasks that should run where their data lie.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace plait {

/// Locality queues (Stengel 2010, 4.1.2; Wittmann and Hager, arXiv:0902.1884): a task is tagged
/// with the domain of its data; a thread takes tasks of its own domain, and only when there are
/// none steals, from the nearest domain that has some.
template <class Task>
class LocalityQueues {
public:
  /// @param distances  distances[a][b] from domain a to b (as NUMA distance tables); square.
  /// Domains
  ///                   at equal distance are robbed in the order of their number above one's own.
  explicit LocalityQueues(const std::vector<std::vector<double>>& distances);
  /// Domains that are all equally far from each other.
  explicit LocalityQueues(int domains);

  /// Adds a task behind those of its domain. Any thread.
  void push(int domain, Task task);
  /// Takes the oldest task of the domain, else the newest of the nearest other domain that has
  /// some. Empty only when all queues are. Any thread.
  std::optional<Task> pop(int domain);
  /// Tasks taken from other domains so far.
  [[nodiscard]] std::size_t stolen() const;
  [[nodiscard]] int domains() const;
};

}  // namespace plait
