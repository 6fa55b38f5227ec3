// SPDX-License-Identifier: BSD-3-Clause
// A thread's events: its window into the event file, and writing an event there.
#pragma once

#include <stdint.h>

#include "preload/handles.hpp"
#include "trace/event_format.h"

namespace plait::mpi {
struct MPI_Status;
}

namespace plait::preload::trace {

/// The properties that distinguish shapes, packed; see shapes.hpp.
struct ShapeKey {
  uint64_t what, whom, tag, extra;
  bool operator==(const ShapeKey& other) const {
    return what == other.what && whom == other.whom && tag == other.tag && extra == other.extra;
  }
};

/// A shape that the thread has seen.
struct ShapeSlot {
  ShapeKey key;
  uint64_t bytes;  ///< of its previous event, in the chunk of that sequence number
  uint32_t chunk;
  uint32_t shape;  ///< index in the file + 1; 0: the slot is free
};

/// The shape of an earlier call with these arguments, which is found without its key.
struct Memo {
  uint64_t what;  ///< kind, flags, function and site, without what follows from the arguments
  int rank, tag;
  uint64_t type;  ///< handle
  uint64_t comm;
  ShapeSlot* slot;
};

struct Stream {
  static constexpr uint32_t kMemos = 64;

  uint32_t events, capacity;                 ///< of the open chunk
  uint32_t *shapes, *gaps, *durations;       ///< its columns
  uint32_t *words, *words_next, *words_end;  ///< words_next: where the next one goes
  uint64_t last;                             ///< end of the last event, as readers compute it
  plait_chunk_header* window;
  uint32_t sequence;  ///< of the open chunk
  uint32_t number;    ///< of the thread
  uint64_t requests;  ///< started so far
  /// The shapes of the polls that share the last event, and which event that is.
  static constexpr uint32_t kPollShapes = 4;
  uint32_t poll_shapes[kPollShapes];
  uint32_t poll_count, poll_event, poll_chunk;

  ShapeSlot* slots;
  uint32_t slots_shift, slots_mask, slots_room;
  uint32_t varies;  ///< PLAIT_SHAPE_VARIES once there are too many tags, else 0
  uint32_t types_seen;
  struct TypeFlag {
    Word handle;  ///< + 1
    uint32_t flag;
  };
  static constexpr int kTypeBits = 4;
  TypeFlag types[1 << kTypeBits];  ///< see datatypes.hpp

  Memo memos[kMemos];

  Word* handles;  ///< of the requests of the current call
  mpi::MPI_Status* statuses;
  uint32_t handles_count, handles_room, statuses_room;

  uint32_t* ring;  ///< ring mode: places of its closed chunks, the oldest at ring_next
  uint32_t ring_places, ring_next;
  uint32_t omp_thread;  ///< + 1; 0: unknown

  // See gaps.hpp.
  bool in_gap;            ///< the thread's latest event was left out
  uint32_t gaps_seen;     ///< of the process that the thread knows to have ended
  uint32_t gaps_written;  ///< GAP events of their own, without those that continue them
  uint64_t gap_begin;     ///< of the gap that is not yet written; 0: none
  uint32_t* left_out;     ///< operations left out since the last GAP event, by shape
  uint32_t left_out_end;  ///< shapes from here on have none
  bool in_memory;         ///< for calibration: full chunks are dropped
  Stream* next_free;
};

/// The calling thread's, null when it has none (yet).
extern __thread Stream* stream __attribute__((tls_model("initial-exec")));

/// The calling thread's, made when it has none. Null: no room; the event is counted as lost. Takes
/// a lock and makes system calls.
Stream* make_stream();

inline Stream* own_stream() {
  Stream* mine = stream;
  return __builtin_expect(mine != nullptr, 1) ? mine : make_stream();
}

/// Opens a stream on anonymous memory; see calibrate().
bool open_in_memory(Stream* scratch, void* memory);
void close_memory(Stream* scratch);

/// Closes the chunk and opens the next one, with room for an event of that many words. False: no
/// room; the event is counted as lost. Makes system calls.
bool next_chunk(Stream* s, uint64_t words, uint64_t begin);

/// Stops tracing in this process and reports why, once: the limit is reached, or the disk is full.
void stop_tracing(const char* why);

/// Unmaps the calling thread's window, in a process that traces no longer.
void drop_stream();

/// Closes the calling thread's chunk, at exit.
void close_stream();

/// Writes what all events have: shape, times, bytes. `from`: where the gap ends: the event's begin,
/// or its end if it may contain others. Returns where its `words` further words go; null: no room.
inline uint32_t* begin_event(Stream* s, ShapeSlot* slot, uint64_t from, uint64_t duration,
                             bool holds_others, uint64_t bytes, uint64_t words) {
  constexpr uint64_t kMostOwn = 6;  // two words each of gap, duration, bytes
  if (__builtin_expect(s->events == s->capacity ||
                           static_cast<uint64_t>(s->words_end - s->words_next) < words + kMostOwn,
                       0)) {
    if (!next_chunk(s, words + kMostOwn, from)) return nullptr;
  }
  uint32_t* at = s->words_next;
  const uint32_t i = s->events;
  const uint64_t gap = from > s->last ? from - s->last : 0;
  s->last += gap + (holds_others ? 0 : duration);
  s->gaps[i] = static_cast<uint32_t>(gap);
  s->durations[i] = static_cast<uint32_t>(duration);
  if (__builtin_expect(gap >= PLAIT_LONG, 0)) {
    s->gaps[i] = PLAIT_LONG;
    *at++ = static_cast<uint32_t>(gap);
    *at++ = static_cast<uint32_t>(gap >> 32);
  }
  if (__builtin_expect(duration >= PLAIT_LONG, 0)) {
    s->durations[i] = PLAIT_LONG;
    *at++ = static_cast<uint32_t>(duration);
    *at++ = static_cast<uint32_t>(duration >> 32);
  }
  uint32_t shape = slot->shape - 1;
  if (__builtin_expect(slot->chunk != s->sequence, 0)) {
    slot->chunk = s->sequence;
    slot->bytes = 0;
  }
  if (bytes != slot->bytes) {
    slot->bytes = bytes;
    shape |= PLAIT_SHAPE_BYTES;
    *at++ = static_cast<uint32_t>(bytes);
    if (bytes >> 32) {
      shape |= PLAIT_SHAPE_WIDE;
      *at++ = static_cast<uint32_t>(bytes >> 32);
    }
  }
  s->shapes[i] = shape;
  return at;
}

/// Lets readers see the event, whose words end at `at`.
inline void end_event(Stream* s, uint32_t* at) {
  s->words_next = at;
  const uint32_t events = ++s->events;
  const auto words = static_cast<uint32_t>(at - s->words);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  // Both at once; they are adjacent.
  __atomic_store_n(reinterpret_cast<uint64_t*>(&s->window->events), events | uint64_t{words} << 32,
                   __ATOMIC_RELEASE);
#else
  __atomic_store_n(&s->window->words, words, __ATOMIC_RELEASE);
  __atomic_store_n(&s->window->events, events, __ATOMIC_RELEASE);
#endif
}

}  // namespace plait::preload::trace
