// SPDX-License-Identifier: BSD-3-Clause
// Task queues, one per NUMA domain, for tasks that should run near their data.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plait/error.hpp"

namespace plait {

/// Locality queues (Stengel 2010, 4.1.2; Wittmann and Hager, arXiv:0902.1884). A task is tagged
/// with the domain of its data. A thread takes tasks of its own domain; if there are none, it
/// steals from the nearest domain that has some.
template <class Task>
class LocalityQueues {
public:
  /// @param distances  square matrix: distances[a][b] is the distance from domain a to b, as in
  ///                   NUMA distance tables. Domains at equal distance are tried in the order of
  ///                   their number, starting above one's own, so that not all steal from the same.
  /// @throws Error if the matrix is empty or not square
  explicit LocalityQueues(const std::vector<std::vector<double>>& distances)
      : queues_(distances.size()) {
    const int count = domains();
    if (count == 0) throw Error("locality queues", "no domains given", "give at least one");
    for (int own = 0; own < count; ++own) {
      const std::vector<double>& row = distances[index(own)];
      if (row.size() != queues_.size()) {
        throw Error("locality queues",
                    "row " + std::to_string(own) + " has " + std::to_string(row.size()) +
                        " distances for " + std::to_string(count) + " domains",
                    "give a square matrix of distances");
      }
      std::vector<int>& others = queues_[index(own)].others;
      for (int other = 0; other < count; ++other) {
        if (other != own) others.push_back(other);
      }
      const auto key = [&](int other) {
        return std::tuple(row[index(other)], (other - own + count) % count);
      };
      std::sort(others.begin(), others.end(), [&](int a, int b) { return key(a) < key(b); });
    }
  }
  /// Queues for domains that are all equally far from each other.
  explicit LocalityQueues(int domains)
      : LocalityQueues(std::vector<std::vector<double>>(
            index(std::max(domains, 0)), std::vector<double>(index(std::max(domains, 0)), 0.0))) {}

  /// Appends a task to the queue of its domain, 0 <= domain < domains(). Any thread may call it.
  void push(int domain, Task task) {
    Queue& queue = queues_[index(domain)];
    const std::lock_guard lock(queue.mutex);
    queue.tasks.push_back(std::move(task));
  }

  /// Takes the oldest task of the domain, or else the newest task of the nearest domain that has
  /// one. Returns nothing only if all queues are empty. Any thread may call it.
  std::optional<Task> pop(int domain) {
    Queue& own = queues_[index(domain)];
    if (std::optional<Task> task = take(own, true)) return task;
    for (const int other : own.others) {
      if (std::optional<Task> task = take(queues_[index(other)], false)) {
        stolen_.fetch_add(1, std::memory_order_relaxed);
        return task;
      }
    }
    return std::nullopt;
  }

  /// Number of tasks taken from other domains so far.
  [[nodiscard]] std::size_t stolen() const { return stolen_.load(std::memory_order_relaxed); }
  [[nodiscard]] int domains() const { return static_cast<int>(queues_.size()); }

private:
  /// Aligned so that threads of different domains do not share cache lines.
  struct alignas(128) Queue {
    std::mutex mutex;
    std::deque<Task> tasks;
    std::vector<int> others;  ///< other domains, in the order in which to steal from them
  };

  static std::size_t index(int domain) { return static_cast<std::size_t>(domain); }

  static std::optional<Task> take(Queue& queue, bool oldest) {
    const std::lock_guard lock(queue.mutex);
    if (queue.tasks.empty()) return std::nullopt;
    std::optional<Task> task;
    if (oldest) {
      task.emplace(std::move(queue.tasks.front()));
      queue.tasks.pop_front();
    } else {
      task.emplace(std::move(queue.tasks.back()));
      queue.tasks.pop_back();
    }
    return task;
  }

  std::vector<Queue> queues_;
  std::atomic<std::size_t> stolen_{0};
};

}  // namespace plait
