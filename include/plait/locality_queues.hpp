// SPDX-License-Identifier: BSD-3-Clause
// Task queues, one a NUMA domain, for tasks that should run where their data lie.
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

/// Locality queues (Stengel 2010, 4.1.2; Wittmann and Hager, arXiv:0902.1884): a task is tagged
/// with the domain of its data; a thread takes tasks of its own domain, and only when there are
/// none steals, from the nearest domain that has some.
template <class Task>
class LocalityQueues {
public:
  /// @param distances  distances[a][b] from domain a to b (as NUMA distance tables); square.
  ///                   Domains at equal distance are robbed in the order of their number above
  ///                   one's own, so that not all rob the same one first.
  /// @throws Error when the table is empty or not square.
  explicit LocalityQueues(const std::vector<std::vector<double>>& distances)
      : queues_(distances.size()) {
    const int count = domains();
    if (count == 0) throw Error("locality queues", "no domain is given", "give at least one");
    for (int own = 0; own < count; ++own) {
      const std::vector<double>& row = distances[index(own)];
      if (row.size() != queues_.size()) {
        throw Error("locality queues",
                    "the distances of domain " + std::to_string(own) + " are " +
                        std::to_string(row.size()) + ", the domains " + std::to_string(count),
                    "give a distance from each domain to each");
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
  /// Domains that are all equally far from each other.
  explicit LocalityQueues(int domains)
      : LocalityQueues(std::vector<std::vector<double>>(
            index(std::max(domains, 0)), std::vector<double>(index(std::max(domains, 0)), 0.0))) {}

  /// Adds a task behind those of its domain, 0 <= domain < domains(). Any thread.
  void push(int domain, Task task) {
    Queue& queue = queues_[index(domain)];
    const std::lock_guard lock(queue.mutex);
    queue.tasks.push_back(std::move(task));
  }

  /// Takes the oldest task of the domain, else the newest of the nearest other domain that has
  /// some. Empty only when all queues are. Any thread.
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

  /// Tasks taken from other domains so far.
  [[nodiscard]] std::size_t stolen() const { return stolen_.load(std::memory_order_relaxed); }
  [[nodiscard]] int domains() const { return static_cast<int>(queues_.size()); }

private:
  /// On cache lines of its own: threads of different domains do not slow each other down.
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
