// SPDX-License-Identifier: BSD-3-Clause
// Reads the CPU quota of this process' control group (cgroup v1 and v2).
#pragma once

#include <filesystem>
#include <optional>

namespace plait::machine {

/// The CPU quota in cores (CPU seconds per second): the smallest quota / period from the group of
/// this process up to the root (v2: cpu.max, v1: cpu.cfs_quota_us). Empty when there is no limit or
/// nothing can be read.
/// @param proc_cgroup  /proc/self/cgroup, or a replacement in tests
/// @param mount_point  /sys/fs/cgroup, or a replacement in tests
std::optional<double> cgroup_quota_cores(
    const std::filesystem::path& proc_cgroup = "/proc/self/cgroup",
    const std::filesystem::path& mount_point = "/sys/fs/cgroup");

}  // namespace plait::machine
