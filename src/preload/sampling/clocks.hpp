// SPDX-License-Identifier: BSD-3-Clause
// The CPU time of threads.
#pragma once

#include <stdint.h>
#include <time.h>

namespace plait::preload::sampling {

inline uint64_t cpu_ns_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

inline uint64_t cpu_ns_now() {
  return cpu_ns_of(CLOCK_THREAD_CPUTIME_ID);
}

/// The CPU clock of any thread of this process, as clock_getcpuclockid makes them.
inline clockid_t cpu_clock_of(int32_t tid) {
  return static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | 6);
}

}  // namespace plait::preload::sampling
