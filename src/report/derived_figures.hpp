// SPDX-License-Identifier: BSD-3-Clause
// Figures that follow from counters, each beside what bounds it.
#pragma once

#include <vector>

#include "report/resources.hpp"

namespace plait::report {

/// Instructions per cycle, mispredicted branches, memory bandwidth, and floating-point speed with
/// its roofline, as far as their events were counted, for the whole run and each user region.
/// @param machine  may be null
std::vector<DerivedFigure> derived_figures(const Counters& counters, const Job& job,
                                           const machine::MachineFile* machine);

}  // namespace plait::report
