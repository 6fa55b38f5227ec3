// SPDX-License-Identifier: BSD-3-Clause
// Small readers of /proc and /sys, on the stack: no heap, no stdio streams.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace plait::preload {

/// Reads the beginning of a file (at most `room` - 1 bytes) and appends a NUL. Returns the length,
/// or -1.
long read_text(const char* path, char* text, size_t room);

/// Calls visit(number) for each entry of `folder` whose name is a number, until it returns false.
/// @return false when the folder cannot be read
bool each_number(const char* folder, bool (*visit)(int number, void* data), void* data);

/// The affinity of a thread or process, up to PLAIT_MAX_CPUS. Returns the number of CPUs, or -1.
int affinity_of(int tid, uint64_t* mask);

/// The n-th field (from 1, as in proc(5)) of a /proc/.../stat text; null when there is none. The
/// name, which may hold spaces, is counted as one.
const char* stat_field(const char* stat, int field);

}  // namespace plait::preload
