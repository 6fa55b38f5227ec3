// SPDX-License-Identifier: BSD-3-Clause
// The functions that compilers call for -finstrument-functions.
#include <stdint.h>

#include "preload/functions/functions.hpp"

extern "C" {

__attribute__((visibility("default"), used)) void __cyg_profile_func_enter(void* function,
                                                                           void* site) {
  plait::preload::functions::enter(reinterpret_cast<uintptr_t>(function),
                                   reinterpret_cast<uintptr_t>(site),
                                   reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

__attribute__((visibility("default"), used)) void __cyg_profile_func_exit(void* function,
                                                                          void* site) {
  plait::preload::functions::leave(reinterpret_cast<uintptr_t>(function),
                                   reinterpret_cast<uintptr_t>(site),
                                   reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
}

}  // extern "C"
