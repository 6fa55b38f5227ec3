// SPDX-License-Identifier: BSD-3-Clause
// Calls and times of the functions of a program that was compiled with -finstrument-functions.
//
// The compiler calls __cyg_profile_func_enter and __cyg_profile_func_exit, which this object
// defines. PLAIT_FUNCTIONS chooses functions by name; their addresses are looked up once for each
// loaded file, so that a call only looks up a number. Each thread has a stack of open calls. Calls
// that were left by longjmp are known by their stack pointers, and end when the next call begins or
// an outer one ends. The exit of a function is called when an exception leaves it.
#pragma once

#include <stdint.h>

namespace plait::preload::functions {

/// Begins to record if PLAIT_FUNCTIONS is set and there is a record. May be called again.
void open();

/// Ends the calls of this thread that are still open, and closes the file; at exit.
void close();

/// Stops recording, in a child process.
void forget();

/// A function begins or ends.
/// @param function  its address
/// @param site      to which it returns; that of the enclosing function if it was inlined
/// @param frame     of the caller of this function: an address on the stack
void enter(uintptr_t function, uintptr_t site, uintptr_t frame);
void leave(uintptr_t function, uintptr_t site, uintptr_t frame);

}  // namespace plait::preload::functions
