// SPDX-License-Identifier: BSD-3-Clause
// Machines, bindings and intervals for the tests of src/remap.
#pragma once

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "machine/open_machine.hpp"
#include "remap/arrangement.hpp"

namespace plait::remap {

/// A rank that may use all cores of a machine.
inline Binding unbound(const machine::MachineFile& machine, int threads = 1) {
  std::vector<int> cores(machine.topology.cores.size());
  std::iota(cores.begin(), cores.end(), 0);
  return {cores, threads};
}

inline Places unbound_places(const machine::MachineFile& machine, int ranks, int threads = 1) {
  return places_of(machine.topology, std::vector<Binding>(static_cast<std::size_t>(ranks),
                                                          unbound(machine, threads)));
}

/// Ranks that are bound to one core each.
inline Places bound_places(const machine::MachineFile& machine, const std::vector<int>& cores) {
  std::vector<Binding> bindings;
  for (const int core : cores) bindings.push_back({{core}, 1});
  return places_of(machine.topology, bindings);
}

/// One second of ranks that are busy for the rest of the time that they are in MPI.
inline Interval second_of(int ranks, double mpi_s) {
  const auto size = static_cast<std::size_t>(ranks);
  return {1, {}, std::vector<double>(size, 1 - mpi_s), std::vector<double>(size, mpi_s)};
}

/// Both ranks send to each other.
inline void exchange(Interval& interval, int a, int b, double messages, double bytes) {
  interval.flows.push_back({a, b, messages, bytes});
  interval.flows.push_back({b, a, messages, bytes});
}

}  // namespace plait::remap
