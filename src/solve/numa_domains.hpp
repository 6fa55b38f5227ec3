// SPDX-License-Identifier: BSD-3-Clause
// The NUMA domains that this process computes in: how many, how far apart, and which one a thread
// is in.
#pragma once

#include <vector>

#include "machine/topology.hpp"

namespace plait::solve {

/// NUMA domains with at least one allowed core, numbered from 0 in the order of the topology; one
/// where the machine tells of none.
class NumaDomains {
public:
  explicit NumaDomains(const machine::Topology& topology);
  /// Those of this process; the machine is read at the first call. Any thread.
  static const NumaDomains& of_this_process();

  [[nodiscard]] int count() const { return static_cast<int>(distances_.size()); }
  /// Domain of a hardware thread (operating-system index); 0 when it is in none of them.
  [[nodiscard]] int of_pu(int pu) const;
  /// Domain in which the calling thread runs now; stays so where threads are pinned.
  [[nodiscard]] int of_calling_thread() const;
  /// distances()[a][b], for LocalityQueues: domains of one package are nearer to each other than
  /// those of different packages.
  [[nodiscard]] const std::vector<std::vector<double>>& distances() const { return distances_; }

private:
  std::vector<std::vector<double>> distances_;
  std::vector<int> of_pu_;
};

}  // namespace plait::solve
