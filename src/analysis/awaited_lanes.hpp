// SPDX-License-Identifier: BSD-3-Clause
// How awaited lanes spent their time, for the processes of the lanes that wait for them.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/lanes.hpp"
#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// How a lane spent the time from being in step with another to the begin of a call, ns.
struct Spent {
  std::int64_t computed = 0;
  std::int64_t waited = 0;
  std::int64_t called = 0;   ///< in MPI, not waiting
  std::int64_t stalled = 0;  ///< waiting for a CPU
  std::int64_t absent = 0;   ///< before MPI_Init ended
};

/// @param lane   an own one
/// @param near   about the number of its waits before the call
/// @param since  the time at which both lanes were in step
Spent spent_by(const Lanes& lanes, const Waits& waits, std::uint32_t lane, std::uint32_t call,
               std::uint32_t near, std::int64_t since);

/// Computation in one user region before one call site.
struct PlaceTime {
  std::uint32_t region, site;
  std::int64_t ns;
};

/// Adds the computation of an own lane since a time, before a call, to its places, or subtracts it
/// from those that are there.
/// @returns false if there is too much of it; then its last part is added
bool add_places(const trace::Trace& trace, const Lane& lane, std::uint32_t call, std::int64_t since,
                int sign, std::vector<PlaceTime>& places);

/// A wait, as the process of the awaited lane needs to know it.
struct AwaitedPart {
  std::uint32_t lane = 0, call = 0;                          ///< awaited
  std::int64_t since = 0, window_begin = 0, window_end = 0;  ///< see Interval
  Spent waiting;                                             ///< by the lane that waits
};

/// What the process of the waiting lane needs to know of the awaited one.
struct AwaitedLane {
  Spent spent;
  // The others are set only where the awaited lane spent more time than the waiting one.
  std::uint32_t first_wait = 0, last_wait = 0;  ///< those that ended since then
  std::int64_t computed_in_window = 0;
  std::uint32_t site = trace::kNone;  ///< of the call
  bool has_all_places = false;
  std::vector<PlaceTime> places;  ///< of the computation since then
};

template <class Archive>
void fields(Archive& archive, AwaitedLane& of) {
  archive(of.spent, of.first_wait, of.last_wait, of.computed_in_window, of.site, of.has_all_places,
          of.places);
}

/// @param of    of an own lane
/// @param into  gets the answer; its memory is used again
void look_at(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
             const AwaitedPart& of, AwaitedLane& into);

/// True if the awaited lane spent more time in nothing: the clocks disagree.
bool has_no_excess(const Spent& awaited, const Spent& waiting);

}  // namespace plait::analysis
