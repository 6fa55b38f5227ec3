// SPDX-License-Identifier: BSD-3-Clause
// The AND-OR wait-for graph of blocked threads, and the threads that can never continue.
#include "check/wait_graph.hpp"

#include <algorithm>

namespace plait::check {
namespace {

/// Finds the ranks that can act: starts from those that can and adds others until nothing changes.
class Release {
public:
  explicit Release(const WaitGraph& graph)
      : graph_(graph),
        acts_(static_cast<std::size_t>(graph.ranks), false),
        released_(graph.threads.size(), false) {
    std::vector<bool> has_thread(acts_.size(), false);
    for (const WaitingThread& thread : graph.threads) {
      has_thread[static_cast<std::size_t>(thread.rank)] = true;
    }
    for (std::size_t rank = 0; rank < acts_.size(); ++rank) {
      acts_[rank] = !has_thread[rank] && !graph.ended[rank];
    }
    while (round()) {
    }
  }

  [[nodiscard]] bool is_released(std::size_t thread) const { return released_[thread]; }

private:
  [[nodiscard]] bool is_met(const Clause& clause) const {
    return std::any_of(clause.begin(), clause.end(), [&](int rank) {
      return rank < 0 || rank >= graph_.ranks || acts_[static_cast<std::size_t>(rank)];
    });
  }

  bool round() {
    bool changed = false;
    for (std::size_t i = 0; i < released_.size(); ++i) {
      const WaitingThread& thread = graph_.threads[i];
      if (released_[i] || !std::all_of(thread.clauses.begin(), thread.clauses.end(),
                                       [&](const Clause& clause) { return is_met(clause); })) {
        continue;
      }
      released_[i] = true;
      if (!graph_.ended[static_cast<std::size_t>(thread.rank)]) {
        acts_[static_cast<std::size_t>(thread.rank)] = true;
      }
      changed = true;
    }
    return changed;
  }

  const WaitGraph& graph_;
  std::vector<bool> acts_;
  std::vector<bool> released_;
};

}  // namespace

std::vector<std::size_t> deadlocked(const WaitGraph& graph) {
  const Release release(graph);
  std::vector<std::size_t> stuck;
  for (std::size_t i = 0; i < graph.threads.size(); ++i) {
    if (!release.is_released(i)) stuck.push_back(i);
  }
  return stuck;
}

std::optional<std::size_t> unmet_clause(const WaitGraph& graph, std::size_t thread,
                                        const std::set<int>& stuck_ranks) {
  const std::vector<Clause>& clauses = graph.threads[thread].clauses;
  std::optional<std::size_t> shortest;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    const bool open = std::all_of(clauses[i].begin(), clauses[i].end(),
                                  [&](int rank) { return stuck_ranks.contains(rank); });
    if (open && (!shortest || clauses[i].size() < clauses[*shortest].size())) shortest = i;
  }
  return shortest;
}

std::set<int> dead_ranks(const WaitGraph& graph, const std::vector<std::size_t>& stuck) {
  std::set<int> ranks;
  for (int rank = 0; rank < graph.ranks; ++rank) {
    if (graph.ended[static_cast<std::size_t>(rank)]) ranks.insert(rank);
  }
  for (const std::size_t thread : stuck) ranks.insert(graph.threads[thread].rank);
  return ranks;
}

Core core_of(const WaitGraph& graph, const std::vector<std::size_t>& stuck) {
  const std::set<int> ranks = dead_ranks(graph, stuck);
  const auto thread_of = [&](int rank) -> std::optional<std::size_t> {
    for (const std::size_t thread : stuck) {
      if (graph.threads[thread].rank == rank) return thread;
    }
    return std::nullopt;
  };
  // Follow clauses with a single rank from each stuck thread until a thread repeats. A chain that
  // leads to a rank that has ended is the second choice.
  std::optional<Core> chain;
  for (const std::size_t start : stuck) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    for (;;) {
      const auto again = std::find(path.begin(), path.end(), at);
      if (again != path.end()) return {Core::Kind::cycle, {again, path.end()}, -1};
      path.push_back(at);
      const auto unmet = unmet_clause(graph, at, ranks);
      const Clause* clause = unmet ? &graph.threads[at].clauses[*unmet] : nullptr;
      if (clause == nullptr || clause->size() != 1) break;
      const auto next = thread_of(clause->front());
      if (!next) {
        if (!chain) chain = Core{Core::Kind::chain, path, clause->front()};
        break;
      }
      at = *next;
    }
  }
  if (chain) return *chain;
  return {Core::Kind::knot, stuck, -1};
}

}  // namespace plait::check
