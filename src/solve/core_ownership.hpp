// SPDX-License-Identifier: BSD-3-Clause
// Whether the threads of all ranks of a node have a core each, so that a waiting one may spin.
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"

namespace plait::solve {

/// What the ranks of a node may use. The numbers are those of the node of rank 0, whether the
/// threads fit is told for the fullest node: the same on every rank but for `cpus`.
struct NodeCores {
  int ranks = 1;                  ///< on the node
  int threads = 1;                ///< OpenMP threads of all of them
  int cores = 1;                  ///< hardware threads in the union of their masks
  double quota_cores = 0;         ///< CPU time that the control group grants; 0: no limit
  machine::CpuSet cpus;           ///< of this rank: where any of its threads may run
  bool team_fits = false;         ///< every OpenMP thread of the node has a core
  bool team_and_one_fit = false;  ///< the same with one thread more a rank
};

/// Whether `threads_a_rank[r] + extra` threads of each rank fit the hardware threads of its mask
/// and the quota, when ranks share masks: within every mask, and every group of masks that overlap,
/// the ranks that are confined to it have no more threads than it has hardware threads.
bool fits(std::span<const machine::CpuSet> masks, std::span<const int> threads_a_rank, int extra,
          double quota_cores);

/// Looks at the affinity masks of the OpenMP threads and at the control group. Collective over
/// `comm`; opens a parallel region.
NodeCores node_cores(MPI_Comm comm, int threads);

}  // namespace plait::solve
