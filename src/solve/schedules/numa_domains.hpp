// SPDX-License-Identifier: BSD-3-Clause
// The NUMA domains that this process computes in: their number, their distances, and the domain of
// a thread.
#pragma once

#include <map>
#include <vector>

#include "machine/topology.hpp"

namespace plait::solve {

/// NUMA domains with at least one allowed core, numbered from 0 in the order of the topology. There
/// is one domain if the machine reports none.
class NumaDomains {
public:
  explicit NumaDomains(const machine::Topology& topology);
  /// The domains of this machine that have some of these hardware threads: those of the whole team,
  /// because each of its threads may be bound to its own core. Reads the machine.
  static NumaDomains of_cpus(const machine::CpuSet& cpus);

  [[nodiscard]] int count() const { return static_cast<int>(distances_.size()); }
  /// The domain of a hardware thread (operating-system index); 0 if it is in none of them.
  [[nodiscard]] int of_pu(int pu) const;
  /// The domain of a NUMA node (operating-system index); -1 if it is none of them.
  [[nodiscard]] int of_node(int node) const;
  /// The domain in which the calling thread runs now; it changes only if threads are not pinned.
  [[nodiscard]] int of_calling_thread() const;
  /// distances()[a][b], for LocalityQueues: smaller within a package than between packages.
  [[nodiscard]] const std::vector<std::vector<double>>& distances() const { return distances_; }

private:
  std::vector<std::vector<double>> distances_;
  std::map<int, int> of_node_;
  std::vector<int> of_pu_;
};

}  // namespace plait::solve
