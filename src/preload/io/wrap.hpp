// SPDX-License-Identifier: BSD-3-Clause
// Functions that take the place of libc's: PLAIT_WRAP and the function after this one.
//
// They are defined under names of Plait's own with the symbols of libc's, so that no header's
// declaration, macro or inline function of them is in the way.
#pragma once

#include "preload/io/observe.hpp"

#define PLAIT_IO_CALLER __builtin_return_address(0)

/// Declares plait_io_NAME, which programs call as NAME. The definition follows.
#define PLAIT_WRAP(result, name, parameters)        \
  extern "C" __attribute__((visibility("default"))) \
  result plait_io_##name parameters __asm__(#name); \
  extern "C" result plait_io_##name parameters

/// Declares `real`, libc's function, in a wrapper. The look-up takes a lock, once.
#define PLAIT_REAL(name)                                                                         \
  static void* plait_next;                                                                       \
  if (!__atomic_load_n(&plait_next, __ATOMIC_ACQUIRE))                                           \
    __atomic_store_n(&plait_next, ::plait::preload::io::next_function(#name), __ATOMIC_RELEASE); \
  const auto real = reinterpret_cast<decltype(&plait_io_##name)>(plait_next)
