// SPDX-License-Identifier: BSD-3-Clause
// Maps the handles of requests and matched messages to the events that started them.
//
// MPI libraries give one handle to several requests that were complete when they were started
// (Open MPI's ompi_request_empty, MPICH's lightweight requests). A thread may also get a handle
// that another thread has just completed but not yet removed here. So a handle may be in the table
// several times; the oldest entry is used first.
//
// The table has several parts, each with its own lock. Locks are taken only if the program may call
// MPI from several threads at once.
#pragma once

#include <stdint.h>

#include "preload/handles.hpp"

namespace plait::preload::trace {

// Flags of a request.
constexpr uint32_t kWildcard = 1;  ///< a receive whose source or tag is only known from its status
constexpr uint32_t kPersistent = 2;  ///< stays until it is freed
constexpr uint32_t kCancelled = 4;  ///< MPI_Cancel was called; the status says whether it succeeded
constexpr uint32_t kMessage = 8;    ///< an MPI_Message (of MPI_Mprobe), not an MPI_Request

struct Request {
  uint64_t number;  ///< as counted by the thread that started it; 0: persistent and not active
  uint64_t bytes;   ///< persistent: of each start
  uint32_t thread;
  uint32_t flags;
  uint32_t shape;  ///< persistent: index into the file's shapes
};

/// The number of known requests whose status is needed: wildcards and cancelled ones.
extern int64_t statuses_wanted;

/// May allocate (whole pages, rarely). If there is no room, the request will be unknown.
void keep(Word handle, const Request& request);

/// Finds the oldest request of that handle and removes it; a persistent one becomes inactive
/// instead. False: unknown.
bool end(Word handle, bool message, Request* found);

/// Removes it in any case. False: unknown.
bool remove(Word handle, bool message, Request* found);

/// Starts a persistent request under that number. False: unknown.
bool activate(Word handle, uint64_t number, uint32_t thread, Request* found);

/// MPI_Cancel was called.
void cancel(Word handle);

/// From now on several threads may call MPI at once.
void expect_threads();

/// In the child of a fork, where locks may never be released.
void forget_requests();

}  // namespace plait::preload::trace
