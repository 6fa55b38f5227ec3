// SPDX-License-Identifier: BSD-3-Clause
// Parses the lines of CPUs in /proc/stat, proc_stat(5).
#include "preload/cpu_wait/cpu_use.hpp"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace plait::preload {

bool next_cpu_use(const char** text, CpuUse* use) {
  constexpr int kIdle = 3, kWaitsForDisk = 4, kSteal = 7, kColumns = 8;
  const uint64_t tick_ns = 1'000'000'000 / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  for (const char* at = *text; !strncmp(at, "cpu", 3);) {
    const char* const line = at + 3;
    const char* end = strchr(at, '\n');
    at = end ? end + 1 : at + strlen(at);
    *text = at;
    if (*line < '0' || *line > '9') continue;  // the sum of all CPUs
    char* rest = nullptr;
    *use = {static_cast<int>(strtol(line, &rest, 10)), 0, 0};
    for (int column = 0; column < kColumns; ++column) {
      const uint64_t ns = strtoull(rest, &rest, 10) * tick_ns;
      if (column == kSteal)
        use->steal_ns = ns;
      else if (column != kIdle && column != kWaitsForDisk)
        use->busy_ns += ns;
    }
    return true;
  }
  return false;
}

}  // namespace plait::preload
