// SPDX-License-Identifier: BSD-3-Clause
// The event file from within the observed process: header, places for chunks, writing them.
//
// A thread writes into a window, the place of a chunk that stays mapped: the kernel faults its
// pages in once, while a window of its own for each chunk would cost more than all else together
// (3 us a page on ext4). A full window is copied to a place of its own (one pwritev) and starts
// anew. A killed process leaves its windows in the file like its closed chunks.
#pragma once

#include <stdint.h>

#include "trace/event_format.h"

namespace plait::preload::trace {

constexpr uint32_t kChunkBytes = 256 << 10;
constexpr uint32_t kNoPlace = ~0u;

/// The header of this process' event file; null: there is none.
extern plait_events_header* events_header;

/// Creates the file beside the record. False: said why, or not asked for.
bool create_event_file(plait_trace_mode mode);

/// A place for a chunk at the end of the file, kNoPlace when the limit is reached; with
/// `beyond_limit` regardless of it.
uint32_t take_place(bool beyond_limit);

/// Maps a place, with room in the file and its pages present: a full disk is an error now and no
/// signal later. Null: no room. Makes system calls.
plait_chunk_header* map_window(uint32_t place);
void unmap_window(plait_chunk_header* window);

/// Writes a chunk of events, of which only what is used takes room, closed and with its CRC, to a
/// place of its own. False: no room. One system call but for the opening of the file.
bool write_chunk(const plait_chunk_header& window, uint32_t place);

/// Makes readers aware of what was written to `place`.
void publish_place(uint32_t place);

/// Fills in the CRC of a window that is not written to any more, and marks it as closed.
void close_window(plait_chunk_header* window);

}  // namespace plait::preload::trace
