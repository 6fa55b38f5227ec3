// SPDX-License-Identifier: BSD-3-Clause
// The function file of this process: its memory, and how it grows.
#pragma once

#include <stdint.h>

#include "trace/function_format.h"

namespace plait::preload::functions {

/// Creates the file beside the record and maps it. Null: that failed; it was reported.
plait_functions_header* create_file();

/// `bytes` zeroed bytes of the file, aligned to 8, and their offset. Null: no room. Takes a lock;
/// makes system calls when the file has to grow.
void* take(uint64_t bytes, uint64_t* offset);

/// Shortens the file to what is in use; take() fails from then on.
void trim_file();

/// Forgets the file, in a child process.
void forget_file();

}  // namespace plait::preload::functions
