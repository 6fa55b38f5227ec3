// SPDX-License-Identifier: BSD-3-Clause
// Expands collectives into messages with the same dependencies, for collectives that a format
// cannot express: those of some ranks, and non-blocking ones.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/program.hpp"

namespace plait::exports {

/// Concurrent messages of a member. The next phase begins when they are done.
struct Phase {
  std::vector<std::uint32_t> send_to, receive_from;  ///< members
};

/// The phases of member `index` of `members`. On an ideal network each member leaves exactly when
/// the members whose data it needs have arrived: non-roots at once (reduce, gather) or with the
/// root (broadcast, scatter), a scan's member with those before it, otherwise all with the last.
/// @param at_once  use one phase, so that no member forwards data (non-blocking collectives, which
///                 progress only in calls); quadratic in the members
std::vector<Phase> collective_phases(replay::Pattern pattern, std::uint32_t members,
                                     std::uint32_t index, std::uint32_t root, bool at_once);

}  // namespace plait::exports
