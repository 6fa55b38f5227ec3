// SPDX-License-Identifier: BSD-3-Clause
// Decodes the chunks of a process into the events and operations of a rank.
#pragma once

#include <string>
#include <vector>

#include "trace/clocks.hpp"
#include "trace/event_source.hpp"
#include "trace/merge_definitions.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// Decodes all chunks of `source` into `rank`: events with times on `clock`, operations, and the
/// events that ended them. An inconsistent chunk is read up to the inconsistency.
/// @param trace     into which the process' shapes and communicators were merged
/// @param shapes    in the order of the process' shapes
/// @param problems  gets one sentence for each kind of problem
/// @returns what was inconsistent; empty: nothing
std::string decode_events(EventSource& source, const Trace& trace,
                          const std::vector<MergedShape>& shapes, const TickMap& clock, Rank& rank,
                          std::vector<std::string>& problems);

}  // namespace plait::trace
