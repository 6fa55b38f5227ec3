// SPDX-License-Identifier: BSD-3-Clause
// Divides lanes, or groups of ranks, among the processes and threads of an analysis.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/lanes.hpp"
#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "base/processes.hpp"

namespace plait::analysis {

/// Collective. Adds up the sums of all processes, in their order.
/// @param none, add  see Shares::sum()
template <class Sum, class Add>
Sum sum_of_processes(Processes* processes, const Sum& none, Sum own, Add add) {
  if (size_of(processes) == 1) return own;
  BytesWriter text;
  text(own);
  Sum all = none;
  for (const std::string& of_process : processes->exchange(text.take())) {
    Sum some;
    BytesReader reader(of_process);
    reader(some);
    add(std::as_const(some), all);
  }
  return all;
}

/// Ranges of indices, one for each process.
class Shares {
public:
  /// @param ranges  by process, ascending
  /// @param processes  null: this one alone
  /// @param threads  of this process at most; 0: as many as there are usable CPUs
  Shares(std::vector<IndexRange> ranges, Processes* processes, unsigned threads)
      : ranges_(std::move(ranges)), processes_(processes), threads_(threads) {}

  /// Calls use(range) for ranges that cover the indices of this process, in any order and on
  /// several threads.
  template <class Use>
  void for_own(Use use) const {
    const std::vector<IndexRange> ranges = own_ranges();
    for_each_index(
        ranges.size(), [&](std::size_t i) { use(ranges[i]); }, threads_);
  }

  /// Collective. Gives the other processes what this one found, and gets what they found.
  /// @param fields  a generic function, fields(archive, index): calls archive(...) with the results
  ///                for an index, to write or to read them (plain_bytes.hpp)
  template <class Fields>
  void exchange(Fields fields) const {
    if (size_of(processes_) == 1) return;
    BytesWriter found;
    const IndexRange own = this->own();
    for (std::size_t index = own.first; index < own.last; ++index) fields(found, index);
    const std::vector<std::string> all = processes_->exchange(found.take());
    for (std::size_t process = 0; process < all.size(); ++process) {
      if (process == rank_of(processes_)) continue;
      BytesReader others(all[process]);
      const IndexRange theirs = ranges_[process];
      for (std::size_t index = theirs.first; index < theirs.last; ++index) fields(others, index);
    }
  }

  /// Collective. Sums up what all processes find. How the indices are divided depends on threads
  /// and processes, so sums must be exact: of integers, or lists.
  /// @param none  an empty sum, of a class that plain_bytes.hpp can write
  /// @param use   use(range, sum): adds what is found for a range of indices, on several threads
  /// @param add   add(later, sum): adds the sum of later indices
  /// @returns the sum of all indices
  template <class Sum, class Use, class Add>
  Sum sum(const Sum& none, Use use, Add add) const {
    const std::vector<IndexRange> ranges = own_ranges();
    std::vector<Sum> parts(ranges.size(), none);
    for_each_index(
        ranges.size(), [&](std::size_t i) { use(ranges[i], parts[i]); }, threads_);
    Sum own = none;
    for (Sum& part : parts) {
      add(std::as_const(part), own);
      part = Sum();
    }
    return sum_of_processes(processes_, none, own, add);
  }

private:
  [[nodiscard]] IndexRange own() const { return ranges_[rank_of(processes_)]; }
  [[nodiscard]] std::vector<IndexRange> own_ranges() const {
    const IndexRange own = this->own();
    std::vector<IndexRange> ranges = ranges_of(own.last - own.first, threads_);
    for (IndexRange& range : ranges) {
      range.first += own.first;
      range.last += own.first;
    }
    return ranges;
  }

  std::vector<IndexRange> ranges_;
  Processes* processes_;
  unsigned threads_;
};

/// For Shares::sum: adds a list of later indices to that of earlier ones.
inline constexpr auto kAppend = [](const auto& later, auto& list) {
  list.insert(list.end(), later.begin(), later.end());
};
/// For Shares::sum of numbers.
inline constexpr auto kAdd = [](const auto& later, auto& sum) { sum += later; };

/// Calls use(rank) for the ranks whose first lane, which is the main thread's, is in a range.
template <class Use>
void for_ranks(const Lanes& lanes, const IndexRange& range, Use use) {
  for (std::size_t lane = range.first; lane < range.last; ++lane) {
    if (lanes.all[lane].stream == 0) use(lanes.all[lane].rank);
  }
}

}  // namespace plait::analysis
