// SPDX-License-Identifier: BSD-3-Clause
// The processes below one, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace plait {

/// A process, from /proc/PID/stat.
struct ProcessStat {
  pid_t parent = 0;
  std::string name;
  unsigned long long start_ticks = 0;  ///< since boot: with the pid, identifies the process
};

std::optional<ProcessStat> process_stat(pid_t pid);

/// Children of `root`, their children, and so on. None if /proc is that of another PID namespace.
std::vector<pid_t> descendants(pid_t root);

}  // namespace plait
