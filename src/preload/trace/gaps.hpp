// SPDX-License-Identifier: BSD-3-Clause
// Gaps of a trace: parts of the run whose events are left out on purpose.
//
// The profile goes on in a gap. So that the messages and collectives after a gap still match,
// threads count the operations that they leave out (GAP in event_format.h). A gap begins and ends
// for the whole process; each thread writes its GAP event before its next event.
#pragma once

#include <stdint.h>

#include "preload/calls/call.hpp"
#include "preload/trace/request_table.hpp"
#include "preload/trace/stream.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {

/// The reasons why events are left out now; 0: they are recorded.
extern uint32_t gap_reasons;

/// True once there has been a gap, or may be one: only then calls have more to do.
extern bool may_have_gaps;

/// Ends all gaps for good, at Finalize.
void end_gaps(uint64_t now);

/// Decides whether a call's event is recorded; only called if there may be gaps. If so, writes the
/// thread's gap first.
bool is_recorded(Stream* s, const Call& call);

/// The same for what is not a call and ends now: a region, or a part of one.
bool is_span_recorded(Stream* s, plait_shape_kind kind, uint64_t begin, uint64_t end);

/// The calling thread's stream if it has just left out the event of a call; else null.
inline Stream* gap_stream(const Call& call) {
  return may_have_gaps && !call.is_internal() && stream && stream->in_gap ? stream : nullptr;
}

/// Counts an operation that was left out. `kind`: SEND, RECV or COLLECTIVE; `peer`: not
/// MPI_PROC_NULL; `flags`: PLAIT_SHAPE_PARTITIONED or 0.
void count_left_out(Stream* s, plait_shape_kind kind, uint32_t flags, uint32_t comm, int peer,
                    int tag);

/// Counts one of the operations of a shape of the file.
void count_shape_left_out(Stream* s, uint32_t shape);

/// A receive that was left out started a request, and its source or tag is not known yet.
void keep_left_out(Stream* s, Word handle, uint32_t comm);

/// True if the request is one of keep_left_out().
inline bool is_left_out(const Request& request) {
  return request.number == 0 && (request.flags & (kWildcard | kPersistent)) == kWildcard;
}

/// Counts a receive of keep_left_out() that has ended in a gap, with its source and tag.
void count_ended(Stream* s, const Request& ended, int source, int tag);

/// Writes the five words of a reference to such a receive that has ended outside of a gap.
uint32_t* refer_left_out(const Stream* s, uint32_t* at, const Request& ended, int source, int tag);

}  // namespace plait::preload::trace
