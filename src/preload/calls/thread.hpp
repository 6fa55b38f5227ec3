// SPDX-License-Identifier: BSD-3-Clause
// A thread that calls MPI: its tables in the record file and its caches.
#pragma once

#include <stdint.h>

#include "preload/handles.hpp"
#include "preload/recorder.hpp"
#include "preload/wait_clock.hpp"

namespace plait::preload {

constexpr uint32_t kCheckedFrames = 4;

/// Where an MPI call came from, remembered for one pair of return address and stack pointer.
struct SiteSlot {  // a cache line
  uint64_t key;
  uint32_t site;
  /// Not 0: the call came through an MPI library's Fortran layer, whose own return address is
  /// this many bytes above the wrapper's frame. kPythonLayer: it came from Python, whose lines
  /// distinguish the sites.
  uint32_t layer;
  /// The next return addresses of the path, which other paths with this pair do not share, and
  /// their places above the wrapper's frame, counted in addresses. 0: no more.
  uint32_t above[kCheckedFrames];
  uintptr_t callers[kCheckedFrames];
};

constexpr uint32_t kPythonLayer = ~0u;

constexpr uint32_t kInternalSite = ~0u;  ///< the MPI library called itself: not the user's call

struct TypeSlot {
  Word handle;  ///< + 1, so that 0 is free
  uint64_t bytes;
};

struct HandleSlot {
  Word handle;  ///< + 1
  uint32_t id;
};

struct Thread {
  static constexpr int kSiteBits = 12, kTypeBits = 6, kCommBits = 5, kWinBits = 2;

  int depth;                            ///< not 0: inside MPI; calls are not the program's
  uint32_t omitted;                     ///< too many sites were found: stack pointers are ignored
  uintptr_t outer_frame, outer_caller;  ///< of the wrapper that the depth counts
  plait_thread_record* record;
  uint64_t mpi_ticks_before;  ///< of its records before this one
  uint64_t last_exit;
  WaitClock wait;
  uint64_t mpi_ticks_at_wait;  ///< in MPI until the clock was read
  plait_call_entry* calls;
  uint32_t calls_shift, calls_mask, calls_room;
  uint32_t peers_mask, peers_room;
  uint32_t colls_shift, colls_mask, colls_room;
  plait_peer_entry* peers;
  plait_coll_entry* colls;
  SiteSlot* sites;
  uint64_t site_misses;
  uint32_t types_seen, comms_seen;  ///< generations of the caches below
  TypeSlot types[1 << kTypeBits];
  HandleSlot comms[1 << kCommBits];
  HandleSlot wins[1 << kWinBits];

  Thread* next_free;
};

/// The calling thread's, null when it has none (yet).
extern __thread Thread* self __attribute__((tls_model("initial-exec")));

/// The calling thread's, made when it has none. Null: Plait is inactive in this process. Takes a
/// lock and makes system calls.
Thread* thread_slab();

/// Stops recording in this process; from their next call on, threads pass through.
void retire();

/// The fork handler's: the child must not touch the parent's record.
void retire_child();

/// Finds the entry of the key, taking a free one; null when there is no room (counted as lost).
plait_call_entry* more_room(Thread* thread, uint64_t key);
plait_peer_entry* peer_slot(Thread* thread, uint64_t key);

inline plait_call_entry* call_slot(Thread* thread, uint64_t key) {
  const uint32_t first = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> thread->calls_shift);
  for (uint32_t i = first;; i = (i + 1) & thread->calls_mask) {
    plait_call_entry* entry = &thread->calls[i];
    if (__builtin_expect(entry->key == key, 1)) return entry;
    if (entry->key == 0) return more_room(thread, key);
  }
}

/// Counts a message of this process to a world rank; `collective`: as part of a collective.
inline void add_peer(Thread* thread, int32_t world_rank, bool collective, uint64_t bytes) {
  if (__builtin_expect(paused, 0)) return;
  const uint64_t key = 1 + 2 * static_cast<uint64_t>(world_rank) + (collective ? 1 : 0);
  plait_peer_entry* entry;
  if (thread->peers && thread->peers[key & thread->peers_mask].key == key) {
    entry = &thread->peers[key & thread->peers_mask];
  } else {
    entry = peer_slot(thread, key);
    if (!entry) return;
  }
  ++entry->messages;
  entry->bytes += bytes;
}

/// Reads how long the thread waited for a CPU, at the end of a part of its time: between two calls,
/// or in a call. Returns the ticks that it waited in that part; what it waited before, in parts too
/// short to be read, is divided among them in proportion to their time.
uint64_t read_wait_outside(Thread* thread, uint64_t now);
uint64_t read_wait_inside(Thread* thread, uint64_t began, uint64_t now);

/// Counts a collective call and the bytes for one partner; root -1: none.
void add_collective(Thread* thread, uint32_t function, uint32_t comm, int root, uint64_t bytes);

}  // namespace plait::preload
