// SPDX-License-Identifier: BSD-3-Clause
// From the chunks of a process to the events and operations of a rank.
#pragma once

#include <string>
#include <vector>

#include "trace/clocks.hpp"
#include "trace/event_source.hpp"
#include "trace/merge_definitions.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// Decodes all chunks of `source` into `rank`: events with times by `clock`, operations, and which
/// events ended them. A chunk that contradicts itself is read up to there, and a sentence says so.
/// @param trace   whose shapes and communicators the process' were merged into
/// @param shapes  by the process' shape
void decode_events(EventSource& source, const Trace& trace, const std::vector<MergedShape>& shapes,
                   const TickMap& clock, Rank& rank, std::vector<std::string>& problems);

}  // namespace plait::trace
