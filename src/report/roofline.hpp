// SPDX-License-Identifier: BSD-3-Clause
// The roofline model: speed by operations per byte, below what memory and cores permit.
#pragma once

#include "report/resources.hpp"

namespace plait::report {

/// A point for each region and each rank whose floating-point operations and memory traffic were
/// counted, and the bounds by the machine's memory and cores.
/// @param counters  complete except for the roofline
/// @param machine   may be null
Roofline roofline_of(const Counters& counters, const machine::MachineFile* machine);

}  // namespace plait::report
