// SPDX-License-Identifier: BSD-3-Clause
// User regions: parts of a program that the program names.
#pragma once

#include <stdint.h>

namespace plait::preload {

/// The calling thread enters a region within the one it is in.
void region_enter(const char* name);

/// The calling thread leaves the innermost region of that name (null: the innermost of any), and
/// all regions that are still open in it.
void region_leave(const char* name);

/// 1 + the index of the innermost region that the calling thread is in; 0: none. Async-signal-safe.
uint32_t open_region();

}  // namespace plait::preload
