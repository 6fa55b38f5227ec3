// SPDX-License-Identifier: BSD-3-Clause
// Finds the intervals over which the work of a waiting rank and the awaited rank is compared.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/awaited_lanes.hpp"
#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// The interval of one wait. The two lanes were in step at `since`, by their last message or
/// collective call. The window lasts from the common barrier (or all-to-all collective) before the
/// wait to the one after it; the order of work within it does not matter.
struct Interval {
  std::int64_t since = 0;
  std::int64_t window_begin = 0, window_end = 0;
  std::uint32_t pair = 0;  ///< number of this pair of lanes in this window, on its own lane
  std::uint32_t far = trace::kNone;  ///< Intervals::far; kNone: the awaited lane is an own one
};

/// Of the waits of this process's lanes.
struct Intervals {
  std::vector<std::vector<Interval>> of;  ///< by lane and wait
  /// By lane and pair: excess computation of the awaited lane, summed over the intervals with an
  /// excess, ns.
  std::vector<std::vector<std::int64_t>> excess;
  std::vector<AwaitedLane> far;  ///< awaited lanes of other processes
};

/// The awaited lane in the interval of a wait of an own lane.
AwaitedPart awaited_part(const Lanes& lanes, const Waits& waits, const Intervals& intervals,
                         std::uint32_t lane, std::uint32_t number);

/// The intervals of all waits. Linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work, each with those of its lanes as the result; null: this
/// one
///                   alone. Collective among them.
Intervals find_intervals(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                         unsigned threads = 0, Processes* processes = nullptr);

}  // namespace plait::analysis
