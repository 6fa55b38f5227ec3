// SPDX-License-Identifier: BSD-3-Clause
// The AND-OR wait-for graph of blocked threads, and the threads that can never continue.
//
// A thread waits until all of its clauses are met. A clause is met when one of its ranks acts. A
// rank acts when one of its threads can continue. Threads that no acting rank releases are
// deadlocked: a cycle if clauses name one rank each, a knot if they name several (Holt, Some
// deadlock properties of computer systems, ACM Computing Surveys 4 (1972)).
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace plait::check {

/// Ranks, one of which has to act.
using Clause = std::vector<int>;

/// A thread that may be blocked.
struct WaitingThread {
  int rank = 0;
  std::vector<Clause> clauses;  ///< all must be met; empty: the thread can continue
};

/// All threads of a job and what they wait for.
struct WaitGraph {
  int ranks = 0;
  std::vector<WaitingThread> threads;
  /// By rank: it has finalized or exited and will never act. Ranks without threads that have not
  /// ended are unknown and may act.
  std::vector<bool> ended;
};

/// Indices of the threads that can never continue.
std::vector<std::size_t> deadlocked(const WaitGraph& graph);

/// Ranks that will never act: those that have ended, and those of stuck threads.
std::set<int> dead_ranks(const WaitGraph& graph, const std::vector<std::size_t>& stuck);

/// Index of the thread's shortest clause whose ranks are all stuck; nothing if there is none.
std::optional<std::size_t> unmet_clause(const WaitGraph& graph, std::size_t thread,
                                        const std::set<int>& stuck_ranks);

/// The threads of a deadlock to report: those of a cycle, in order, or of a chain that leads to a
/// rank that has ended, or, if clauses name several ranks, all that wait for each other.
struct Core {
  enum class Kind { cycle, chain, knot };
  Kind kind = Kind::cycle;
  std::vector<std::size_t> threads;  ///< indices; each waits for the next, the last for the first
  int ended_rank = -1;               ///< of a chain
};
/// The core of a deadlock. `stuck` is not empty.
Core core_of(const WaitGraph& graph, const std::vector<std::size_t>& stuck);

}  // namespace plait::check
