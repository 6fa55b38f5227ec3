// SPDX-License-Identifier: BSD-3-Clause
// Finds the intervals over which the work of a waiting rank and the awaited rank is compared.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// The interval of one wait. The two lanes were in step at `since`, by their last message or
/// collective call. The window lasts from the common barrier (or all-to-all collective) before the
/// wait to the one after it; the order of work within it does not matter.
struct Interval {
  std::int64_t since = 0;
  std::int64_t window_begin = 0, window_end = 0;
  std::uint32_t pair = 0;  ///< number of this pair of lanes in this window, on its own lane
};

struct Intervals {
  std::vector<std::vector<Interval>> of;  ///< by lane and wait
  /// By lane and pair: excess computation of the awaited lane, summed over the intervals with an
  /// excess, ns.
  std::vector<std::vector<std::int64_t>> excess;
};

/// The intervals of all waits. Linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work and all get the result; null: this one alone
Intervals find_intervals(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                         unsigned threads = 0, Processes* processes = nullptr);

/// How two lanes spent the time from being in step until one waited for the other, ns.
struct Balance {
  std::int64_t computed = 0, awaited_computed = 0;
  std::int64_t waited = 0, awaited_waited = 0;
  std::int64_t called = 0, awaited_called = 0;    ///< in MPI, not waiting
  std::int64_t stalled = 0, awaited_stalled = 0;  ///< waiting for a CPU
  std::int64_t absent = 0, awaited_absent = 0;    ///< before MPI_Init ended
};

/// @param number  of the wait on the lane
/// @param since   the time at which both lanes were in step
Balance balance_of(const Lanes& lanes, const Waits& waits, std::uint32_t lane, std::uint32_t number,
                   std::int64_t since);

}  // namespace plait::analysis
