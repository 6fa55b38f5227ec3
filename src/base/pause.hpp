// SPDX-License-Identifier: BSD-3-Clause
// One poll's pause. Without the standard library, as preload objects use it.
#pragma once

namespace plait {

/// Slows down a loop of polls, during which the other thread of a core may run.
inline void pause_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

}  // namespace plait
