// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends gaps, counts what they leave out, and writes GAP events.
#include "preload/trace/gaps.hpp"

#include <initializer_list>

#include "preload/recorder.hpp"
#include "preload/trace/emit.hpp"
#include "preload/trace/parts.hpp"
#include "preload/trace/shapes.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {

uint32_t gap_reasons;
bool may_have_gaps;

namespace {

constexpr uint32_t kPairs = kMostReferences;  // of one event

int lock;
uint32_t gaps;                  // that have ended
uint64_t last_begin, last_end;  // of the last gap

// Begins a GAP event that has `pairs` pairs.
uint32_t* begin_gap_event(Stream* s, uint64_t from, uint64_t until, uint32_t pairs, uint32_t back) {
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_GAP, 0, 0, 0);
  if (!slot) return lose_event(), nullptr;
  uint32_t* at = begin_event(s, slot, from, until - from, false, 0, 2 + 2 * uint64_t{pairs});
  if (!at) return nullptr;
  *at++ = pairs;
  *at++ = back;
  return at;
}

uint32_t count_shapes(const Stream* s) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->left_out_end; ++i) count += s->left_out[i] != 0;
  return count;
}

// Writes the gap of a thread up to `until`, with what it has left out.
void write_gap(Stream* s, uint64_t until) {
  const uint64_t from = s->gap_begin > s->last ? s->gap_begin : s->last;
  uint32_t left = count_shapes(s), shape = 0;
  bool first = true;
  s->gap_begin = 0;
  if (until <= from && left == 0 && !s->in_gap) return;
  do {
    const uint32_t pairs = left < kPairs ? left : kPairs;
    const uint64_t begin = first ? from : s->last;
    uint32_t* at =
        begin_gap_event(s, begin, first && until > begin ? until : begin, pairs, first ? 0 : 1);
    if (!at) break;
    for (uint32_t written = 0; written < pairs; ++shape) {
      if (!s->left_out[shape]) continue;
      *at++ = shape;
      *at++ = s->left_out[shape];
      s->left_out[shape] = 0;
      ++written;
    }
    end_event(s, at);
    left -= pairs;
    first = false;
  } while (left > 0);
  ++s->gaps_written;
  s->left_out_end = 0;
}

// How many gaps before the thread's last one a receive was started in: `back` of a GAP event, as
// seen by one that is written now. 0: unknown, or in the gap that has not been written yet.
uint32_t gaps_since(const Stream* s, const Request& request) {
  const auto gap = static_cast<uint32_t>(request.bytes >> 32);
  return request.thread == s->number && gap <= s->gaps_written ? s->gaps_written - gap + 1 : 0;
}

uint32_t comm_of(const Request& left_out) {
  return static_cast<uint32_t>(left_out.bytes);
}

ShapeKey left_out_key(plait_shape_kind kind, uint32_t flags, uint32_t comm, int peer, int tag) {
  return {what_of(kind, flags, 0, 0), whom_of(comm, peer), tag_of(tag), 0};
}

}  // namespace

void leave_out(GapReason reason, bool out, uint64_t now) {
  SpinLock hold(&lock);
  const uint32_t before = gap_reasons;
  const uint32_t after = out ? before | reason : before & ~uint32_t{reason};
  if (after == before) return;
  may_have_gaps = true;
  Stream* const own = stream;
  if (before == 0) {
    __atomic_store_n(&last_begin, now, __ATOMIC_RELAXED);
    if (own && own->gap_begin == 0) own->gap_begin = now;
  }
  if (after == 0) {
    __atomic_store_n(&last_end, now, __ATOMIC_RELAXED);
    __atomic_store_n(&gaps, gaps + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&gap_reasons, after, __ATOMIC_RELEASE);
  if (after != 0 || !own || __atomic_load_n(&state, __ATOMIC_RELAXED) != kOn) return;
  own->gaps_seen = gaps;
  write_gap(own, now);
}

void end_gaps(uint64_t now) {
  for (const GapReason reason : {kPaused, kOtherPart, kNotSignalled}) leave_out(reason, false, now);
}

bool is_recorded(Stream* s, const Call& call) {
  if (s->in_memory) return true;
  see_call(call);
  const uint32_t ended = __atomic_load_n(&gaps, __ATOMIC_ACQUIRE);
  const bool in_gap = __atomic_load_n(&gap_reasons, __ATOMIC_RELAXED) != 0;
  // A call that began in a gap and ends after it is left out as well.
  if (in_gap || call.began < __atomic_load_n(&last_end, __ATOMIC_RELAXED)) {
    s->in_gap = true;
    if (s->gap_begin == 0) s->gap_begin = __atomic_load_n(&last_begin, __ATOMIC_RELAXED);
    return false;
  }
  if (s->gaps_seen != ended || s->gap_begin != 0) {
    if (s->gap_begin == 0) s->gap_begin = __atomic_load_n(&last_begin, __ATOMIC_RELAXED);
    s->gaps_seen = ended;
    write_gap(s, __atomic_load_n(&last_end, __ATOMIC_RELAXED));
  }
  s->in_gap = false;
  return true;
}

bool is_span_recorded(Stream* s, plait_shape_kind kind, uint64_t begin, uint64_t end) {
  if (__atomic_load_n(&gap_reasons, __ATOMIC_RELAXED) == 0) return true;
  // Of the user regions, those that were open when the gap began are needed: what was recorded
  // before it happened in them.
  if (kind != PLAIT_EVENT_REGION || begin >= __atomic_load_n(&last_begin, __ATOMIC_RELAXED))
    return false;
  if (s->gap_begin == 0) s->gap_begin = __atomic_load_n(&last_begin, __ATOMIC_RELAXED);
  write_gap(s, end);
  s->gap_begin = end;
  return true;
}

void count_shape_left_out(Stream* s, uint32_t shape) {
  if (!s->left_out)
    s->left_out = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * uint64_t{kMostShapes}));
  if (!s->left_out) return;
  ++s->left_out[shape];
  if (shape >= s->left_out_end) s->left_out_end = shape + 1;
}

void count_left_out(Stream* s, plait_shape_kind kind, uint32_t flags, uint32_t comm, int peer,
                    int tag) {
  if (kind != PLAIT_EVENT_COLLECTIVE && s->varies) return;  // each tag would need a shape
  const ShapeSlot* slot = find_shape(s, left_out_key(kind, flags, comm, peer, tag));
  if (slot) count_shape_left_out(s, slot->shape - 1);
}

void keep_left_out(Stream* s, Word handle, uint32_t comm) {
  const ShapeSlot* slot = find_shape(
      s, left_out_key(PLAIT_EVENT_RECV, PLAIT_SHAPE_WILDCARD, comm, PLAIT_ANY_PEER, PLAIT_ANY_TAG));
  if (!slot) return;
  const uint64_t gap = s->gaps_written + 1;
  keep(handle, {0, comm | gap << 32, s->number, kWildcard, slot->shape - 1});
}

void count_ended(Stream* s, const Request& ended, int source, int tag) {
  const uint32_t back = gaps_since(s, ended);
  if (back == 0) return count_left_out(s, PLAIT_EVENT_RECV, 0, comm_of(ended), source, tag);
  if (s->varies) return;
  const ShapeSlot* slot =
      find_shape(s, left_out_key(PLAIT_EVENT_RECV, 0, comm_of(ended), source, tag));
  uint32_t* at = slot ? begin_gap_event(s, s->last, s->last, 1, back) : nullptr;
  if (!at) return;
  *at++ = slot->shape - 1;
  *at++ = 1;
  end_event(s, at);
}

uint32_t* refer_left_out(const Stream* s, uint32_t* at, const Request& ended, int source, int tag) {
  const uint32_t back = gaps_since(s, ended);
  if (back == 0 || s->varies) {
    *at++ = PLAIT_REFERENCE_UNKNOWN;
    return at;
  }
  *at++ = PLAIT_REFERENCE_LEFT_OUT;
  *at++ = ended.shape;
  *at++ = source_name(source);
  *at++ = tag_word(tag);
  *at++ = back;
  return at;
}

}  // namespace plait::preload::trace
