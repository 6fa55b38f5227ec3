// SPDX-License-Identifier: BSD-3-Clause
// Figures that follow from counters, each beside what bounds it.
#pragma once

#include <cstddef>
#include <vector>

#include "report/resources.hpp"

namespace plait::report {

/// Number of nodes of a job, at least 1.
std::size_t nodes_of(const Job& job);

/// Instructions per cycle, mispredicted branches, memory bandwidth, and floating-point speed with
/// its roofline, as far as their events were counted, for one row of counts.
/// @param events     of the counts
/// @param elapsed_s  between MPI calls, the mean of the ranks
/// @param machine    may be null
std::vector<DerivedFigure> derived_figures_of(const std::vector<CounterEventRow>& events,
                                              const CounterRegionRow& row, std::size_t nodes,
                                              double elapsed_s,
                                              const machine::MachineFile* machine);

/// The same for the whole run and each user region.
/// @param machine  may be null
std::vector<DerivedFigure> derived_figures(const Counters& counters, std::size_t nodes,
                                           const machine::MachineFile* machine);

}  // namespace plait::report
