// SPDX-License-Identifier: BSD-3-Clause
// Divides lanes, or groups of ranks, among the processes and threads of an analysis.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "base/processes.hpp"

namespace plait::analysis {

/// Of the indices from 0 to count - 1, each process has a range.
class Shares {
public:
  /// @param processes  null: this one alone
  /// @param threads  of this process at most; 0: as many as there are usable CPUs
  Shares(std::size_t count, Processes* processes, unsigned threads)
      : count_(count), processes_(processes), threads_(threads) {}

  /// Calls use(range) for ranges that cover the indices of this process, in any order and on
  /// several threads.
  template <class Use>
  void for_own(Use use) const {
    const IndexRange own = of(rank());
    const std::vector<IndexRange> ranges = ranges_of(own.last - own.first, threads_);
    for_each_index(
        ranges.size(),
        [&](std::size_t i) {
          use(IndexRange{own.first + ranges[i].first, own.first + ranges[i].last});
        },
        threads_);
  }

  /// Collective. Gives the other processes what this one found, and gets what they found.
  /// @param fields  a generic function, fields(archive, index): calls archive(...) with the results
  ///                for an index, to write or to read them (plain_bytes.hpp)
  template <class Fields>
  void exchange(Fields fields) const {
    if (size() == 1) return;
    BytesWriter found;
    const IndexRange own = of(rank());
    for (std::size_t index = own.first; index < own.last; ++index) fields(found, index);
    const std::vector<std::string> all = processes_->exchange(found.take());
    for (std::size_t process = 0; process < all.size(); ++process) {
      if (process == rank()) continue;
      BytesReader others(all[process]);
      const IndexRange theirs = of(process);
      for (std::size_t index = theirs.first; index < theirs.last; ++index) fields(others, index);
    }
  }

private:
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(processes_ == nullptr ? 1 : processes_->size());
  }
  [[nodiscard]] std::size_t rank() const {
    return static_cast<std::size_t>(processes_ == nullptr ? 0 : processes_->rank());
  }
  [[nodiscard]] IndexRange of(std::size_t process) const {
    return {count_ * process / size(), count_ * (process + 1) / size()};
  }

  std::size_t count_;
  Processes* processes_;
  unsigned threads_;
};

}  // namespace plait::analysis
