// SPDX-License-Identifier: BSD-3-Clause
// Checksums of buffers in flight, on request (PLAIT_OPTIONS=check_buffers).
#pragma once

#include <stdint.h>

#include "preload/calls/abi.hpp"

namespace plait::preload {

/// Memory that an operation in flight reads, or writes.
struct Buffer {
  const void* begin;
  uint64_t bytes;  ///< from begin on, when contiguous; else 0
  MPI_Count count;
  MPI_Datatype type;  ///< a duplicate of a type that is not contiguous
  bool duplicate;
  bool sends;
  bool summed;
  uint64_t sum;
};

/// Were checksums asked for?
bool checks_buffers();

/// The buffer of a call, with its checksum if it sends. Empty unless checksums were asked for.
Buffer buffer_of(const void* begin, MPI_Count count, Word datatype, bool sends);

/// Computes the checksum again, at the start of a persistent operation.
void sum_again(Buffer& buffer);

/// Has the data that is sent changed since its checksum was computed?
bool has_changed(const Buffer& buffer);

/// Frees what buffer_of made.
void release(Buffer& buffer);

/// Do they share memory that one of them writes?
bool overlap(const Buffer& one, const Buffer& other);

}  // namespace plait::preload
