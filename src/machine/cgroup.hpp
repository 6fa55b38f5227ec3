// SPDX-License-Identifier: BSD-3-Clause
// The CPU time that the control group of this process grants it (cgroup v1 and v2).
#pragma once

#include <filesystem>
#include <optional>

namespace plait::machine {

/// Cores' worth of CPU time a second: the smallest quota / period from the group of this process
/// up to the root; v2 cpu.max, v1 cpu.cfs_quota_us. Empty when nothing limits it or nothing can be
/// read.
/// @param proc_cgroup  /proc/self/cgroup, or a file that stands in for it
/// @param mount_point  /sys/fs/cgroup, or a folder that stands in for it
std::optional<double> cgroup_quota_cores(
    const std::filesystem::path& proc_cgroup = "/proc/self/cgroup",
    const std::filesystem::path& mount_point = "/sys/fs/cgroup");

}  // namespace plait::machine
