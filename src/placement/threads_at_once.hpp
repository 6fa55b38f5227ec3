// SPDX-License-Identifier: BSD-3-Clause
// The number of threads that can run at once under their affinity masks.
#pragma once

#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"

namespace plait::placement {

/// The largest number of these threads that can run at once.
/// @param whole_cores  true: each on its own core; false: each on its own hardware thread
int threads_at_once(const machine::Topology& topology, const std::vector<machine::CpuSet>& masks,
                    bool whole_cores);

}  // namespace plait::placement
