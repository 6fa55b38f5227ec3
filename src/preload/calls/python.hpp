// SPDX-License-Identifier: BSD-3-Clause
// The lines of Python that a thread executes while it calls MPI.
//
// They are read from CPython's memory without its lock: mpi4py gives the lock up around most calls,
// and to take it would change the program's timing. A thread's own frames do not change while it is
// in a call. The positions of what is read depend on the version of CPython, 3.9 to 3.13; at the
// first use all of it is read by the kernel, which refuses addresses that are not mapped, and types
// of objects are compared. If anything is not as expected, nothing is read again.
#pragma once

#include <limits.h>
#include <stddef.h>
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

/// A place in Python code.
struct PythonLine {
  const void* code;
  int64_t position;
  bool from_c;  ///< its frame was entered from C; before 3.12
};

/// The places that the calling thread executes, innermost first; 0 if they cannot be read. All
/// memory is read by the kernel, so this may be called at any time. Async-signal-safe; a system
/// call per line.
uint32_t python_lines(PythonLine* into, uint32_t room);

constexpr size_t kPythonTextBytes = 32 + 256 + PATH_MAX;

/// Writes "LINE FUNCTION\nFILE". False: the place is not of Python code. Async-signal-safe.
/// @param room  at least kPythonTextBytes
bool python_text(const PythonLine& line, char* into, size_t room);

/// Where the interpreter's file is mapped; null: there is none that can be read.
const void* python_image();

/// True for addresses in the interpreter's function that executes Python code.
bool executes_python(uintptr_t pc);

/// True for addresses in the interpreter's own code.
bool is_interpreter(uintptr_t pc);

}  // namespace plait::preload
