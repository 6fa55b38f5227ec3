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
  char state = '?';                    ///< 'R', 'S', 'Z' (has ended) and so on, proc(5)
  unsigned long long start_ticks = 0;  ///< since boot: with the pid, identifies the process
  int wait_status = 0;                 ///< of a process that has ended, as wait(2) has it
};

std::optional<ProcessStat> process_stat(pid_t pid);

/// The children of a process, also those that have ended and were not waited for. Reads a few
/// files; none if the kernel does not have them (CONFIG_PROC_CHILDREN).
std::vector<pid_t> children(pid_t process);

/// Children of `root`, their children, and so on. None if /proc is that of another PID namespace.
std::vector<pid_t> descendants(pid_t root);

}  // namespace plait
