// SPDX-License-Identifier: BSD-3-Clause
// Requests between the call that started them and the one that ends them.
//
// A library may give one handle to several requests at a time, e.g. to all sends that completed
// immediately. They are distinguished by the address where the program keeps them.
#pragma once

#include <stdint.h>

#include "preload/check/buffers.hpp"
#include "preload/check/state.hpp"

namespace plait::preload {

constexpr uint32_t kNoOp = ~0u;

struct KeptOperation {
  uint32_t next;      ///< of the same handle; in the pool: the next free one
  uint32_t previous;  ///< of the same handle
  uint32_t last;      ///< of those of the handle, in the first one
  uint32_t op;        ///< kNoOp: none, or persistent and not started
  uint32_t second;    ///< MPI_Isendrecv's other operation
  uint32_t object;    ///< persistent: entry of OBJECTS
  Word handle;
  const void* place;
  bool persistent, cancelled, claimed;
  uint64_t polled;       ///< Checker::epoch of the polls that last asked for it
  plait_check_op shape;  ///< persistent: the operation that each start posts
  Buffer buffer;
  MPI_Comm* new_comm;  ///< MPI_Comm_idup: filled in when the request ends
  uint64_t base;
};

/// Keeps a request that the call has made.
void keep_operation(Call& call, const Checker& checker, Word handle, const void* place);

/// Keeps a persistent request; `buffer`: what it sends.
void keep_persistent(Call& call, Word handle, const void* place, const plait_check_op& shape,
                     const Buffer& buffer);

/// Before MPI_Start or MPI_Startall: posts the operations again.
void starts_begin(Call& call, Checker& checker);

/// After it. The library may have replaced the handles.
void starts_end(const Checker& checker, bool succeeded);

void cancel_operation(Word handle, const void* place);

/// MPI_Request_free.
void free_operation(Word handle);

/// Before a Wait or Test: looks up its requests, records what the thread waits for, and replaces
/// ignored statuses.
void wait_begins(Checker& checker, const Traits& traits);

/// After a Test that found nothing: lists its requests in the polls of its thread.
void keep_polled(Checker& checker);

/// After a Wait or Test: ends those that it ended.
void wait_ends(Call& call, Checker& checker, const Traits& traits, int code);

}  // namespace plait::preload
