// SPDX-License-Identifier: BSD-3-Clause
// Where inside its node a process may run, by its affinity and what the kernel tells of the cores.
#pragma once

#include <array>

namespace plait::preload::mapper {

/// Numbers that the kernel gives to the process' package, NUMA domain, last-level cache and core,
/// in this order; -1 where it may run on several of them, or the kernel does not tell.
using Inside = std::array<int, 4>;

/// Of this process, by its first thread's affinity. Reads files below `cpus`, throws nothing.
/// @param cpus  the kernel's folder of processors
Inside place_inside_node(const char* cpus = "/sys/devices/system/cpu");

}  // namespace plait::preload::mapper
