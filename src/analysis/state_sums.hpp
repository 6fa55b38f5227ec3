// SPDX-License-Identifier: BSD-3-Clause
// Sums up waiting by kind, function and site, over all ranks.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/hash.hpp"
#include "analysis/shares.hpp"
#include "analysis/wait_states.hpp"

namespace plait::analysis {

struct StateKey {
  WaitKind kind;
  std::uint32_t function, site;
  bool operator==(const StateKey&) const = default;
};

struct StateHash {
  std::size_t operator()(const StateKey& key) const {
    return mix(std::uint64_t{key.function} << 32U | key.site, static_cast<std::uint64_t>(key.kind));
  }
};

/// Sums of waiting, in the order in which states are first seen.
class StateSums {
public:
  /// Adds waiting of the current rank.
  void add(const StateKey& key, std::int64_t ns);
  void end_rank(std::uint32_t rank);
  /// Adds the sums of later ranks.
  void add(const StateSums& later);

  /// The states, longest first.
  [[nodiscard]] std::vector<WaitState> states() const;

  /// For exchanges between processes: only add() takes what was read.
  template <class Archive>
  friend void fields(Archive& archive, StateSums& of) {
    archive(of.states_);
  }

private:
  struct State {
    StateKey key{};
    std::uint64_t count = 0;
    std::int64_t ns = 0, worst_ns = 0;  ///< of all ranks, of the one that waits longest
    std::uint32_t worst_rank = trace::kNone;
  };

  std::size_t number_of(const StateKey& key);
  static void add_longest(State& state, std::int64_t ns, std::int64_t worst_ns,
                          std::uint32_t worst_rank);

  std::unordered_map<StateKey, std::size_t, StateHash> numbers_;
  std::vector<State> states_;
  std::vector<std::int64_t> of_rank_;  ///< by state, of the current rank
  std::vector<std::size_t> touched_;
};

/// Collective. Sums up the states of all ranks.
/// @param add_rank  add_rank(rank, sum): adds the waiting of an own rank, on several threads
template <class AddRank>
std::vector<WaitState> sum_by_rank(const Lanes& lanes, unsigned threads, Processes* processes,
                                   AddRank add_rank) {
  const auto use = [&](const IndexRange& range, StateSums& sum) {
    for_ranks(lanes, range, [&](std::uint32_t rank) {
      add_rank(rank, sum);
      sum.end_rank(rank);
    });
  };
  const auto add = [](const StateSums& later, StateSums& sum) { sum.add(later); };
  return Shares(lanes.shares, processes, threads).sum(StateSums(), use, add).states();
}

}  // namespace plait::analysis
