// SPDX-License-Identifier: BSD-3-Clause
// Over which time the work of a rank that waits is compared with that of the rank it waits for.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// Of one wait: the two lanes are in step at `since`, their last message or collective call that
/// made them so. The window lies between the barriers (or all-to-all collectives) of both around
/// the wait: over it work is the same or is not, whatever the order in which it is done.
struct Interval {
  std::int64_t since = 0;
  std::int64_t window_begin = 0, window_end = 0;
  std::uint32_t pair = 0;  ///< number of this pair of lanes in this window
};

struct Intervals {
  std::vector<std::vector<Interval>> of;  ///< by lane and wait
  /// By pair: how much more the awaited lane computed than the waiting one, summed over those of
  /// its intervals in which it did, ns.
  std::vector<std::int64_t> excess;
};

/// Linear in the events.
Intervals find_intervals(const trace::Trace& trace, const Lanes& lanes, const Waits& waits);

/// How two lanes spent the time from when they were in step until one waited for the other, ns.
struct Balance {
  std::int64_t computed = 0, awaited_computed = 0;
  std::int64_t waited = 0, awaited_waited = 0;
  std::int64_t called = 0, awaited_called = 0;  ///< in MPI, not waiting
  std::int64_t absent = 0, awaited_absent = 0;  ///< before MPI_Init ended
};

/// @param number  of the wait on lane `lane`
Balance balance_of(const Lanes& lanes, const Waits& waits, std::uint32_t lane, std::uint32_t number,
                   std::int64_t since);

}  // namespace plait::analysis
