// SPDX-License-Identifier: BSD-3-Clause
// The lines of Python that a thread executes while it calls MPI.
//
// They are read from CPython's memory without its lock: mpi4py gives the lock up around most calls,
// and to take it would change the program's timing. A thread's own frames do not change while it is
// in a call. The positions of what is read depend on the version of CPython, 3.9 to 3.13; at the
// first use all of it is read by the kernel, which refuses addresses that are not mapped, and types
// of objects are compared. If anything is not as expected, nothing is read again.
#pragma once

#include <stdint.h>

namespace plait::preload {

/// True if the calling thread executes Python code that can be read. Looks for an interpreter if
/// none was found yet.
bool in_python();

/// A number for the lines that the calling thread executes, innermost first: of all that a site
/// keeps, or of the innermost one. Never 0. No system calls; about 2 ns per line.
uint64_t python_path(bool innermost_only);

/// Puts up to `room` lines into `pc`, innermost first, as PLAIT_PYTHON_FRAME. Returns how many.
/// Makes system calls.
uint32_t python_frames(uint64_t* pc, uint32_t room);

/// True for addresses in the interpreter's own code.
bool is_interpreter(uintptr_t pc);

}  // namespace plait::preload
