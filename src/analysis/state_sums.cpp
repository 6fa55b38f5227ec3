// SPDX-License-Identifier: BSD-3-Clause
// Sums up waiting by kind, function and site.
#include "analysis/state_sums.hpp"

#include <algorithm>

namespace plait::analysis {

using trace::kNone;

void StateSums::add(const StateKey& key, std::int64_t ns) {
  const std::size_t number = number_of(key);
  ++states_[number].count;
  std::int64_t& of_rank = of_rank_[number];
  if (of_rank == 0) touched_.push_back(number);
  of_rank += ns;
}

void StateSums::end_rank(std::uint32_t rank) {
  for (const std::size_t number : touched_) {
    add_longest(states_[number], of_rank_[number], of_rank_[number], rank);
    of_rank_[number] = 0;
  }
  touched_.clear();
}

void StateSums::add(const StateSums& later) {
  for (const State& of_later : later.states_) {
    State& state = states_[number_of(of_later.key)];
    state.count += of_later.count;
    add_longest(state, of_later.ns, of_later.worst_ns, of_later.worst_rank);
  }
}

std::vector<WaitState> StateSums::states() const {
  std::vector<WaitState> states;
  for (const State& of : states_) {
    WaitState& state = states.emplace_back();
    state.kind = of.key.kind;
    state.function = of.key.function;
    state.site = of.key.site;
    state.seconds = to_seconds(of.ns);
    state.count = of.count;
    if (of.worst_rank != kNone) state.worst_rank = static_cast<int>(of.worst_rank);
    state.worst_s = to_seconds(of.worst_ns);
  }
  std::ranges::stable_sort(states, std::ranges::greater{}, &WaitState::seconds);
  return states;
}

std::size_t StateSums::number_of(const StateKey& key) {
  const auto [at, is_new] = numbers_.try_emplace(key, states_.size());
  if (is_new) {
    states_.push_back({.key = key});
    of_rank_.push_back(0);
  }
  return at->second;
}

void StateSums::add_longest(State& state, std::int64_t ns, std::int64_t worst_ns,
                            std::uint32_t worst_rank) {
  state.ns += ns;
  if (worst_ns <= state.worst_ns) return;
  state.worst_ns = worst_ns;
  state.worst_rank = worst_rank;
}

}  // namespace plait::analysis
