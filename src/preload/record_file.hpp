// SPDX-License-Identifier: BSD-3-Clause
// The record file of this process: its name, its memory, and how it grows.
//
// No other process writes to the file, and nothing shortens it while it is mapped: that would end
// this process by SIGBUS.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace plait::preload {

/// Creates the file and maps it; its header, which comes first, is all zero but file_bytes. Null:
/// failed, with a message.
void* create_record_file();

/// The file's path; "" when there is none.
const char* record_file_path();

/// True if the record is in a folder of this node, from where the ranks themselves bring it to the
/// run directory (gather/).
bool record_is_away();

/// True if there is a record, and the run directory is on this node.
bool has_run_folder();

/// `bytes` zeroed bytes at the end of the file, aligned to a power of two up to a page, and their
/// offset. Null: no room (disk full, or a limit); that is reported once. Takes a lock; makes system
/// calls when the file has to grow.
void* take_room(uint64_t bytes, uint64_t alignment, uint64_t* offset);

/// Shortens the file to what is in use, at exit: take_room() fails from then on.
void trim_record_file();

/// Creates a file next to the record that does not exist yet; other users may not read it in a
/// spool. Returns a descriptor, or -1.
int create_own_file(const char* name);

/// Opens a file that this process has created, and never follows a link. It is opened whenever it
/// is needed, because the program may close and reuse a descriptor that is kept. Returns a
/// descriptor, or -1.
int open_own_file(const char* name);

/// May this process write files of that size? Writing more would end it by SIGXFSZ.
bool permits_file_of(uint64_t bytes);

/// Reserves bytes of an open file in the file system, so that a full disk is an error now and not a
/// signal later. Returns 0 or the error; EFBIG beyond the user's limit, which would be a signal.
int reserve(int file, uint64_t offset, uint64_t bytes);

}  // namespace plait::preload
