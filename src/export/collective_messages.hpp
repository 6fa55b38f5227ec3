// SPDX-License-Identifier: BSD-3-Clause
// A collective as messages whose dependencies are the collective's own, for formats that cannot
// say it: collectives of some ranks, non-blocking ones.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/program.hpp"

namespace plait::exports {

/// What a member does at once; it goes on to the next phase when all that is done.
struct Phase {
  std::vector<std::uint32_t> send_to, receive_from;  ///< members
};

/// The phases of member `index` of `members`. On a network without cost each member leaves when
/// those have come whose data it needs, and no later: non-roots at once (reduce, gather), or with
/// the root (broadcast, scatter); a scan's member with those before it; else all with the last.
/// @param at_once  all in one phase, so that nobody must pass on what others sent (non-blocking
///                 collectives, which go on only in calls); quadratic in the members
std::vector<Phase> collective_phases(replay::Pattern pattern, std::uint32_t members,
                                     std::uint32_t index, std::uint32_t root, bool at_once);

}  // namespace plait::exports
