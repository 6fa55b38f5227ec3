// SPDX-License-Identifier: BSD-3-Clause
// Finds the place in the program that an MPI call was made from.
//
// The pair of return address and stack pointer nearly identifies a call path; the stack is unwound
// only when a thread sees a new one. Two functions with frames of equal size that call a third one
// share both. So the next return addresses are compared as well (on x86-64), at places known from
// the unwinding: a function's frame has the same size at each of its calls. Where that is not so,
// because of an array of variable size, another word is compared, and the path counts as new.
// Calls from Fortran come through a layer of the MPI library that makes them all look alike. For
// these, the return addresses above the layer's own frames are part of the key. Calls from Python
// share the interpreter's frames; for these, the lines of Python are part of the key.
#pragma once

#include <stdint.h>

#include "preload/calls/thread.hpp"

namespace plait::preload {

/// Initializes the unwinder and finds where the MPI library is mapped; at Init.
void prepare_call_sites();

/// Updates the MODULES table to the modules that are loaded now.
void learn_modules();

/// Unwinds. `frame`: of the wrapper; the caller's return address is one word above it.
uint32_t learn_site(Thread* thread, uint32_t function, uintptr_t caller, uintptr_t frame,
                    uint64_t key);

/// The site of a call from Python.
uint32_t find_python_site(Thread* thread, uintptr_t caller, uintptr_t frame);

/// Is a call at a depth other than 0 made by MPI itself, or by a callback of the program that MPI
/// called? False: the outer call was left by a longjmp or an exception, e.g. out of an error
/// handler, and this call is the program's.
bool is_inside(Thread* thread, uintptr_t caller, uintptr_t frame);

/// Is the call's path the slot's? `frame`: as in learn_site. The first address that differs ends
/// the comparison: behind it, the stack may have no further frames.
inline bool is_same_path(const SiteSlot& slot, uintptr_t frame) {
  for (uint32_t i = 0; i < kCheckedFrames && slot.above[i]; ++i)
    if (reinterpret_cast<const uintptr_t*>(frame)[slot.above[i]] != slot.callers[i]) return false;
  return true;
}

inline uint64_t site_key(uintptr_t caller, uintptr_t frame) {
  return (caller ^ (frame << 20 | frame >> 44)) * 0x9e3779b97f4a7c15u;
}

/// The site's id, 0 when unknown, kInternalSite when the MPI library called itself.
inline uint32_t find_site(Thread* thread, uint32_t function, uintptr_t caller, uintptr_t frame) {
  for (;;) {
    const uint64_t key = site_key(caller, __builtin_expect(thread->omitted, 0) ? 0 : frame);
    const SiteSlot& slot = thread->sites[key >> (64 - Thread::kSiteBits)];
    if (__builtin_expect(slot.key != key || !is_same_path(slot, frame), 0))
      return learn_site(thread, function, caller, frame, key);
    if (__builtin_expect(slot.layer == 0, 1)) return slot.site;
    if (slot.layer == kPythonLayer) return find_python_site(thread, caller, frame);
    caller = *reinterpret_cast<const uintptr_t*>(frame + slot.layer);
    frame += slot.layer - sizeof caller;
  }
}

}  // namespace plait::preload
