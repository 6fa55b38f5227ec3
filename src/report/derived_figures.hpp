// SPDX-License-Identifier: BSD-3-Clause
// Figures that follow from counters, each beside what bounds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "report/resources.hpp"

namespace plait::report {

/// The time of a rank's threads between MPI calls, as if one thread after another: that of the
/// thread with most of it, because threads work side by side. Threads of the MPI library sleep
/// there all the time, so those that call MPI or belong to an OpenMP team have precedence.
class ElapsedTime {
public:
  void add(bool computes, double seconds) {
    double& longest = computes ? of_computing_ : of_others_;
    longest = std::max(longest, seconds);
  }
  [[nodiscard]] double seconds() const { return of_computing_ > 0 ? of_computing_ : of_others_; }

private:
  double of_computing_ = 0, of_others_ = 0;
};

/// The threads that call MPI or belong to an OpenMP team, by rank and tid.
std::set<std::pair<int, int>> computing_threads(const Counters& counters);

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
