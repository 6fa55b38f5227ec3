// SPDX-License-Identifier: BSD-3-Clause
// The table of host, rank, thread, core and NUMA domain, one line a thread, as xthi prints it.
#pragma once

#include <string>

#include "map/placement.hpp"

namespace plait::map {

/// Lines end with a newline. A rank whose threads were not seen gets one line for its process.
std::string placement_table(const PlacementInput& input);

}  // namespace plait::map
