// SPDX-License-Identifier: BSD-3-Clause
// Time since some moment.
#pragma once

#include <cstdint>
#include <ctime>

namespace plait::transport {

inline uint64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/// The same in ticks, which are the same for all processes of a node. It touches no memory, while
/// now_ns() costs a rank that has just got its CPU back several cache and TLB misses.
inline uint64_t now_ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return now_ns();
#endif
}

/// How many ticks a time takes. The first call in a process takes 0.1 ms.
uint64_t ticks_of(uint64_t ns) noexcept;

}  // namespace plait::transport
