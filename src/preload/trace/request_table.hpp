// SPDX-License-Identifier: BSD-3-Clause
// Which event started a request: from the handles of requests and matched messages.
//
// MPI libraries give one handle to several requests that were complete when they were started
// (Open MPI's ompi_request_empty, MPICH's lightweight requests), and a thread may be given a handle
// that another has just completed, before that one has taken note of it. So a handle may stand in
// the table several times; the oldest is taken first.
//
// The table is divided, and each part has a lock of its own, which is taken only where the program
// may call MPI from several threads at once.
#pragma once

#include <stdint.h>

#include "preload/profile/abi.hpp"

namespace plait::preload::trace {

// What a request's flags may be.
constexpr uint32_t kWildcard = 1;    ///< a receive whose source or tag only its status tells
constexpr uint32_t kPersistent = 2;  ///< stays until it is freed
constexpr uint32_t kCancelled = 4;   ///< MPI_Cancel was called: the status tells whether in time
constexpr uint32_t kMessage = 8;     ///< of MPI_Mprobe: a MPI_Message, not a MPI_Request

struct Request {
  uint64_t number;  ///< as counted by the thread that started it; 0: persistent and not active
  uint64_t bytes;   ///< persistent: of each start
  uint32_t thread;
  uint32_t flags;
  uint32_t shape;  ///< persistent: index into the file's shapes
};

/// Requests known now whose status is wanted: wildcards and cancelled ones.
extern int64_t statuses_wanted;

/// May allocate (whole pages, rarely); a request that finds no room will be unknown.
void keep(Word handle, const Request& request);

/// The oldest request of that handle. It is taken out of the table, unless it is persistent: then
/// it becomes inactive. False: unknown.
bool end(Word handle, bool message, Request* found);

/// Takes it out in any case. False: unknown.
bool remove(Word handle, bool message, Request* found);

/// A persistent request starts with that number. False: unknown.
bool activate(Word handle, uint64_t number, uint32_t thread, Request* found);

/// MPI_Cancel was called.
void cancel(Word handle);

/// From here on several threads may call MPI at once.
void expect_threads();

/// In the child of a fork, where locks may be held for ever.
void forget_requests();

}  // namespace plait::preload::trace
