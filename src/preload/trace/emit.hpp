// SPDX-License-Identifier: BSD-3-Clause
// Functions that write the events of all MPI calls.
#pragma once

#include <stdint.h>

#include "preload/calls/call.hpp"
#include "preload/trace/gaps.hpp"
#include "preload/trace/request_table.hpp"
#include "preload/trace/shapes.hpp"
#include "preload/trace/stream.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {

constexpr int kMostReferences = 4096;  ///< of one event

/// Writes how long the thread waited for a CPU before and in the call.
void add_cpu_wait_of(Stream* s, const Call& call);

/// The stream for the call's event; null: it has no event, or the event is lost or left out.
inline Stream* stream_for(const Call& call) {
  if (call.is_internal()) return nullptr;
  if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_RELAXED) != kOn, 0))
    return lose_event(), nullptr;
  Stream* s = own_stream();
  if (__builtin_expect(s == nullptr, 0)) return lose_event(), nullptr;
  if (__builtin_expect(may_have_gaps, 0) && !is_recorded(s, call)) return nullptr;
  if (__builtin_expect(call.waited_before || call.waited, 0)) add_cpu_wait_of(s, call);
  return s;
}

/// Begins the event of a call, followed by `words` further words. Null: no room.
inline uint32_t* begin_call(Stream* s, const Call& call, const ShapeKey& key, uint64_t words) {
  ShapeSlot* slot = find_shape(s, key);
  if (__builtin_expect(slot == nullptr, 0)) return lose_event(), nullptr;
  return begin_event(s, slot, call.began, call.ended - call.began, false, call.bytes, words);
}

/// The request that a call returned.
inline void start_request(Stream* s, Word handle, uint32_t flags) {
  keep(handle, {++s->requests, 0, s->number, flags, 0});
}

/// Writes at most two words. `flags`: PLAIT_REFERENCE_FREED etc.
inline uint32_t* refer(const Stream* s, uint32_t* at, const Request& request, uint32_t flags) {
  const bool own = request.thread == s->number;
  const uint64_t count = own ? s->requests - request.number + 1 : request.number;
  if (__builtin_expect(count > PLAIT_REFERENCE_COUNT, 0)) {
    *at++ = PLAIT_REFERENCE_UNKNOWN;
    return at;
  }
  *at++ = static_cast<uint32_t>(count) | flags | (own ? 0 : PLAIT_REFERENCE_FOREIGN);
  if (!own) *at++ = request.thread;
  return at;
}

/// A poll that found nothing; `tag_word`: null if the shape does not vary. Polls in quick
/// succession share an event (event_format.h): a process that spins would fill the disk.
void add_poll(Stream* s, const Call& call, const ShapeKey& key, const uint32_t* tag_word);

inline int peer_of(int rank) {
  return rank == MPI_PROC_NULL ? PLAIT_NULL_PEER : rank == MPI_ANY_SOURCE ? PLAIT_ANY_PEER : rank;
}

inline uint32_t tag_word(int tag) {
  return static_cast<uint32_t>(tag == MPI_ANY_TAG ? PLAIT_ANY_TAG : tag);
}

inline uint32_t source_name(int source) {
  return static_cast<uint32_t>(peer_of(source));
}

}  // namespace plait::preload::trace
