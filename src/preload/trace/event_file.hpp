// SPDX-License-Identifier: BSD-3-Clause
// The event file, as the observed process writes it: header, places for chunks, chunks.
//
// A thread writes into a window, the place of a chunk that stays mapped: the kernel faults its
// pages in once. Mapping each chunk would cost more than everything else together (3 us per page on
// ext4). A full window is copied to another place (one pwritev) and reused. The windows of a killed
// process stay in the file, like its closed chunks.
#pragma once

#include <stdint.h>

#include "trace/event_format.h"

namespace plait::preload::trace {

constexpr uint32_t kChunkBytes = 256 << 10;
constexpr uint32_t kNoPlace = ~0u;

/// The header of this process' event file; null: there is none.
extern plait_events_header* events_header;

/// Creates the file next to the record. False: failed (with a message), or not asked for.
bool create_event_file(plait_trace_mode mode);

/// Removes the file. What is mapped of it stays mapped, because other threads may be writing to it.
void remove_event_file();

/// The file's path; "" when none was created.
const char* event_file_path();

/// Puts another file in its place, at exit. Other threads that still record lose their events.
/// @return false if that failed: the file is still there
bool replace_event_file(const char* by);

/// A place for a chunk at the end of the file, kNoPlace when the limit is reached; with
/// `beyond_limit` regardless of it.
uint32_t take_place(bool beyond_limit);

/// Maps a place whose pages are allocated in the file: a full disk is an error now, not a signal
/// later. Null: no room. Makes system calls.
plait_chunk_header* map_window(uint32_t place);
void unmap_window(plait_chunk_header* window);

/// Writes a closed chunk of events with its CRC to a new place; unused parts take no room. False:
/// no room. One system call, besides opening the file.
bool write_chunk(const plait_chunk_header& window, uint32_t place);

/// Makes the chunk at `place` visible to readers.
void publish_place(uint32_t place);

/// Fills in the CRC of a window that is not written to any more, and marks it as closed.
void close_window(plait_chunk_header* window);

}  // namespace plait::preload::trace
