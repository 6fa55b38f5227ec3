// SPDX-License-Identifier: BSD-3-Clause
// Which operation a thread's n-th request stands for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace plait::trace {

/// The requests that one thread started, by number. Numbers that a lost chunk held are unknown.
class StartedRequests {
public:
  /// From here on requests have the numbers from `number` on.
  void continue_at(std::uint64_t number) {
    if (runs_.empty() || next() != number) {
      runs_.push_back({number, operations_.size()});
    }
  }

  void start(std::uint32_t operation) { operations_.push_back(operation); }

  /// The number of the next request.
  [[nodiscard]] std::uint64_t next() const {
    return runs_.empty() ? 0 : runs_.back().number + (operations_.size() - runs_.back().first);
  }

  /// The operation of a request; kNone: unknown.
  [[nodiscard]] std::uint32_t operation(std::uint64_t number) const {
    std::size_t end = operations_.size();
    for (auto run = runs_.rbegin(); run != runs_.rend(); end = run->first, ++run) {
      if (number >= run->number) {
        const std::uint64_t index = number - run->number;
        return index < end - run->first ? operations_[run->first + index] : kNone;
      }
    }
    return kNone;
  }

private:
  struct Run {  // of consecutive numbers
    std::uint64_t number;
    std::size_t first;
  };
  std::vector<Run> runs_;
  std::vector<std::uint32_t> operations_;
};

}  // namespace plait::trace
