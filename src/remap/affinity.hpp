// SPDX-License-Identifier: BSD-3-Clause
// On which hardware threads the threads of another process may run.
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "machine/cpuset.hpp"

namespace plait::remap {

/// The sets of all threads of a process; empty if it has ended or cannot be seen.
std::vector<machine::CpuSet> affinities_of(pid_t pid);

/// Moves all threads of a process, also those that start while this is done. Threads that start
/// later inherit the set.
/// @return false if the kernel did not move its first thread: it has ended, or belongs to another
///         user
bool move_process(pid_t pid, const machine::CpuSet& cpus);

}  // namespace plait::remap
