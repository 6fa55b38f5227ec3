// SPDX-License-Identifier: BSD-3-Clause
// The use of each CPU since the system's start, from the text of /proc/stat.
#pragma once

#include <stdint.h>

namespace plait::preload {

struct CpuUse {
  int cpu;
  uint64_t busy_ns;   ///< not idle
  uint64_t steal_ns;  ///< the hypervisor ran something else while the CPU had work
};

/// Reads the next line of a CPU at or after `*text` and moves `*text` behind it. False: there is
/// none.
bool next_cpu_use(const char** text, CpuUse* use);

}  // namespace plait::preload
