// SPDX-License-Identifier: BSD-3-Clause
// The file of samples, as the observed process writes it: its memory, and how it grows.
//
// As with the record, the address space for the file is mapped once, and memory behind the file's
// end is never touched. Unlike there, room is also taken by signal handlers: nobody waits for a
// lock, and a handler that finds it taken has no room this time.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trace/sample_format.h"

namespace plait::preload::sampling {

/// The header; null: there is no file.
extern plait_samples_header* file_header;

/// Creates the file next to the record. False: failed, with a note.
bool create_sample_file();

/// `bytes` zeroed bytes of the file, aligned to 64, and their offset. Null: no room now.
/// Async-signal-safe.
char* take_sample_room(uint64_t bytes, uint64_t* offset);

/// The same for times of samples, which may fill a quarter of the file's address space: the file
/// grows with them, but with other entries only if stacks are new. Null: no room.
/// Async-signal-safe.
char* take_time_room(uint64_t bytes, uint64_t* offset);

/// Shortens the file to what is in use, at exit: nothing is taken afterwards.
void trim_sample_file();

}  // namespace plait::preload::sampling
