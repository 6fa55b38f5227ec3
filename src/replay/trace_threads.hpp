// SPDX-License-Identifier: BSD-3-Clause
// The threads of a trace that a replay executes, and how OpenMP regions tie them together.
#pragma once

#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::replay {

/// The begin or the end of a thread's part in an OpenMP region, as the thread reaches it.
struct TeamStep {
  std::int64_t at = 0;       ///< ns, recorded; computation before it ends here,
  std::int64_t resume = 0;   ///< and that after it begins here
  bool signals = false;      ///< lets the partners go on; false: waits for all of them
  bool idle_before = false;  ///< the thread computes nothing before it
  std::uint32_t tag = 0;     ///< of the region; begins have even ones, ends odd ones
  std::vector<std::uint32_t> partners;
};

/// Numbers the main thread of each rank as the rank, then other threads that call MPI.
class TraceThreads {
public:
  /// Collective if the trace is a part.
  /// @param others  false: main threads only
  /// @param processes  that have the other parts
  TraceThreads(const trace::Trace& trace, bool others, Processes* processes);

  /// True if the trace has the events of a rank.
  [[nodiscard]] bool is_here(std::uint32_t rank) const {
    return rank >= here_.first && rank < here_.last;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(of_.size()); }
  [[nodiscard]] std::uint32_t rank(std::uint32_t thread) const { return of_[thread].rank; }
  [[nodiscard]] std::uint32_t stream(std::uint32_t thread) const { return of_[thread].stream; }
  /// The thread of a stream; kNone: it is not replayed.
  [[nodiscard]] std::uint32_t thread(std::uint32_t rank, std::uint32_t stream) const;
  /// True if all MPI calls of a rank are its main thread's.
  [[nodiscard]] bool is_only_main(std::uint32_t rank) const { return is_only_main_[rank]; }
  /// By time; of ranks that are here.
  [[nodiscard]] const std::vector<TeamStep>& team_steps(std::uint32_t thread) const {
    return of_[thread].steps;
  }

private:
  struct Thread {
    std::uint32_t rank = 0, stream = 0;
    std::vector<TeamStep> steps;
  };

  void tie(const trace::Trace& trace, std::uint32_t rank);

  IndexRange here_;  ///< ranks
  std::vector<Thread> of_;
  std::vector<std::uint32_t> first_other_;  ///< by rank: of its further threads; and the end
  std::vector<bool> is_only_main_;          ///< by rank
  std::uint32_t regions_ = 0;
};

}  // namespace plait::replay
