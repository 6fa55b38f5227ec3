// SPDX-License-Identifier: BSD-3-Clause
// One MPI call of the program, from its entry until it is kept in the thread's tables.
#pragma once

#include <stdint.h>

#include "preload/calls/call_sites.hpp"
#include "preload/calls/functions.hpp"
#include "preload/calls/thread.hpp"

namespace plait::preload {

struct Call {
  Thread* thread;
  uintptr_t caller, frame;
  uint64_t began, ended;
  uint64_t waited_before, waited;  ///< ticks without a CPU: since the last call, in this one
  uint64_t bytes;
  Word handle;  ///< of the request or message that the call ends, as it was; only for a trace
  uint32_t function, site, comm, peer;
  MPI_Status status;  ///< for callers that do not want one

  /// False: the call must be passed through, because Plait is inactive or MPI calls itself.
  bool enter(FunctionId id, uintptr_t return_address, uintptr_t frame_address) {
    thread = self;
    if (__builtin_expect(thread == nullptr, 0)) {
      thread = thread_slab();
      if (!thread) return false;
    }
    if (__builtin_expect(thread->depth != 0, 0) && is_inside(thread, return_address, frame_address))
      return false;
    thread->depth = 1;
    thread->outer_frame = frame_address;
    thread->outer_caller = return_address;
    caller = return_address;
    frame = frame_address;
    function = id;
    bytes = 0;
    waited_before = waited = 0;
    comm = 0;
    peer = PLAIT_PEER_NONE;
    return true;
  }

  void begin() {
    began = now_ticks();
    if (is_border_due(thread->wait, began)) {
      waited_before += read_wait_outside(thread, began);
      began = now_ticks();
    }
  }

  void end() {
    ended = now_ticks();
    if (is_border_due(thread->wait, ended)) waited = read_wait_inside(thread, began, ended);
    site = find_site(thread, function, caller, frame);
  }

  bool is_to_see(int result) const { return result == MPI_SUCCESS && !is_internal(); }
  bool is_internal() const { return __builtin_expect(site == kInternalSite, 0); }

  void keep() {
    thread->depth = 0;
    if (is_internal()) return;
    if (__builtin_expect(paused, 0)) {
      thread->last_exit = 0;  // part of the time until the next call is not recorded
      return;
    }
    const uint64_t ticks = ended - began;
    const unsigned size = bytes ? 64 - static_cast<unsigned>(__builtin_clzll(bytes)) : 0;
    plait_call_entry* entry =
        call_slot(thread, PLAIT_CALL_KEY(function, site, comm, peer, size > 63 ? 63 : size));
    plait_thread_record* kept = thread->record;
    if (__builtin_expect(entry != nullptr, 1)) {
      ++entry->count;
      entry->bytes += bytes;
      entry->ticks += ticks;
      if (ticks > entry->max_ticks) entry->max_ticks = ticks;
      entry->wait_ticks += waited;
      if (__builtin_expect(thread->last_exit != 0, 1)) {
        entry->before_ticks += began - thread->last_exit;
      } else if (kept->first_ticks == 0) {
        kept->first_ticks = began;
      }
    }
    thread->last_exit = ended;
    kept->mpi_ticks += ticks;
    kept->last_ticks = ended;
  }
};

}  // namespace plait::preload
