// SPDX-License-Identifier: BSD-3-Clause
// Where inside its node a process may run, by its affinity and the kernel's list of cores.
#pragma once

#include <array>

namespace plait::preload::mapper {

/// Numbers that the kernel gives to the process' package, NUMA domain, last-level cache and core,
/// in this order; -1 if it may run on several of them, or the kernel does not say.
using Inside = std::array<int, 4>;

/// The place of this process, from the affinity of its first thread. Reads files below `cpus`.
/// Throws nothing.
/// @param cpus  the kernel's folder of processors
Inside place_inside_node(const char* cpus = "/sys/devices/system/cpu");

}  // namespace plait::preload::mapper
