// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom: the AND-OR graph of blocked threads, and those that can never go on.
//
// A thread waits until each of its clauses is met; a clause is met when one of its ranks acts. A
// rank acts when one of its threads can go on. What cannot be reached from those that can go on is
// deadlocked: a cycle where clauses name one rank each, a knot where they name several (Holt, Some
// deadlock properties of computer systems, ACM Computing Surveys 4 (1972)).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace plait::check {

/// Ranks of which one has to act.
using Clause = std::vector<int>;

struct WaitingThread {
  int rank = 0;
  std::vector<Clause> clauses;  ///< all must be met; none: the thread can go on
};

struct WaitGraph {
  int ranks = 0;
  std::vector<WaitingThread> threads;
  /// By rank: it has finalized or exited and will never act. Ranks without threads that have not
  /// ended are not known, and may act.
  std::vector<bool> ended;
};

/// Indices of the threads that can never go on.
std::vector<std::size_t> deadlocked(const WaitGraph& graph);

/// Ranks that will never act: those that have ended, and those of stuck threads.
std::set<int> dead_ranks(const WaitGraph& graph, const std::vector<std::size_t>& stuck);

/// Index of the thread's shortest clause that none of these ranks will meet.
std::optional<std::size_t> unmet_clause(const WaitGraph& graph, std::size_t thread,
                                        const std::set<int>& stuck_ranks);

/// Of a deadlock, the ranks to tell: those of a cycle, in order, or of a chain that leads to a rank
/// that has ended, or, where clauses name several ranks, all that wait for each other.
struct Core {
  enum class Kind { kCycle, kChain, kKnot };
  Kind kind = Kind::kCycle;
  std::vector<std::size_t> threads;  ///< indices; each waits for the next, the last for the first
  int ended_rank = -1;               ///< of a chain
};
Core core_of(const WaitGraph& graph, const std::vector<std::size_t>& stuck);

}  // namespace plait::check
