// SPDX-License-Identifier: BSD-3-Clause
// Time in calls that may have waited for a rank that was left out of the trace (--trace-ranks).
#pragma once

#include <vector>

#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// RootCause::kind of waiting whose cause may be a rank that was left out.
inline constexpr const char* kUntraced = "rank not traced";

/// The time of calls whose partner, root or other member was left out, without the waiting that is
/// known (find_waits): how much of it is waiting is unknown. By function and site, longest first;
/// WaitKind::untraced. Empty when all ranks were traced. Linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work; null: this one alone. Collective among them.
std::vector<WaitState> untraced_waits(const trace::Trace& trace, const Lanes& lanes,
                                      const Waits& waits, unsigned threads = 0,
                                      Processes* processes = nullptr);

}  // namespace plait::analysis
