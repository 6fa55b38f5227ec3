// SPDX-License-Identifier: BSD-3-Clause
// Whether the threads of all ranks of a node have a core each, so that a waiting one may spin.
#pragma once

#include <span>
#include <vector>

#include "machine/cpuset.hpp"

namespace plait::solve {

/// What one rank may use, and for how many threads.
struct RankCores {
  machine::CpuSet cpus;    ///< hardware threads on which any of its threads may run
  int threads = 1;         ///< OpenMP threads
  double quota_cores = 0;  ///< CPU time that its control group grants; 0: no limit
};

/// Of the calling process: affinity masks of its OpenMP threads, OpenMP's places, control group.
/// Opens a parallel region.
RankCores cores_of_process(int threads);

/// What the ranks of a job have of their nodes. The numbers are those of the first node; whether
/// threads fit is told for all nodes, since who waits for a full one gains nothing by spinning.
struct NodeCores {
  int ranks = 1;                  ///< on the first node
  int threads = 1;                ///< OpenMP threads of all of them
  int cores = 1;                  ///< hardware threads in the union of their masks
  double quota_cores = 0;         ///< the tightest; 0: no limit
  bool team_fits = false;         ///< every OpenMP thread has a hardware thread
  bool team_and_one_fit = false;  ///< the same with one thread more a rank
};

/// @param ranks         of each rank
/// @param node_of_rank  node of each rank, numbered from 0
NodeCores node_cores(std::span<const RankCores> ranks, std::span<const int> node_of_rank);

/// Whether the threads of the ranks of one node, and `extra` more of each, fit: within every mask,
/// and every group of masks that overlap, the ranks that are confined to it have no more threads
/// than it has hardware threads; and all together no more than any quota, since the ranks of a job
/// share their control group.
bool fits(std::span<const RankCores> ranks, int extra);

}  // namespace plait::solve
