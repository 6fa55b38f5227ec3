// SPDX-License-Identifier: BSD-3-Clause
// The CPU time and the memory that control groups grant this process.
#pragma once

#include <stdint.h>

namespace plait::preload {

/// The smallest quota between a process' control group and the root, in cores; 0: none.
/// @param groups  its groups, as /proc/PID/cgroup lists them
/// @param root    where the control groups are mounted
double cgroup_quota_cores(const char* groups = "/proc/self/cgroup",
                          const char* root = "/sys/fs/cgroup");

/// The longest time for which one of these groups was stopped because its quota was used up, ns.
uint64_t cgroup_throttled_ns(const char* groups = "/proc/self/cgroup",
                             const char* root = "/sys/fs/cgroup");

/// The smallest memory limit between a process' control group and the root, in bytes; 0: none.
uint64_t cgroup_memory_limit(const char* groups = "/proc/self/cgroup",
                             const char* root = "/sys/fs/cgroup");

}  // namespace plait::preload
