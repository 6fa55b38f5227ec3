// SPDX-License-Identifier: BSD-3-Clause
// Checks if every thread of the ranks of a node has its own core, so that a waiting one may spin.
#pragma once

#include <span>
#include <vector>

#include "machine/cpuset.hpp"

namespace plait::solve {

/// The CPUs of one rank and its number of threads.
struct RankCores {
  machine::CpuSet cpus;    ///< hardware threads on which any of its threads may run
  int threads = 1;         ///< OpenMP threads
  double quota_cores = 0;  ///< CPU time that its control group grants, in cores; 0: no limit
};

/// The values of the calling process, from the affinity masks of its OpenMP threads, OpenMP's
/// places and its control group. Opens a parallel region.
RankCores cores_of_process(int threads);

/// The CPUs of the nodes of a job. The numbers are those of the first node. Whether threads fit is
/// a statement about all nodes, because a rank that waits for a full node gains nothing by
/// spinning.
struct NodeCores {
  int ranks = 1;                  ///< on the first node
  int threads = 1;                ///< OpenMP threads of all of them
  int cores = 1;                  ///< hardware threads in the union of their masks
  double quota_cores = 0;         ///< the smallest on the node; 0: no limit
  bool team_fits = false;         ///< every OpenMP thread has a hardware thread
  bool team_and_one_fit = false;  ///< the same with one more thread per rank
};

/// @param ranks         CPUs of each rank
/// @param node_of_rank  node of each rank, numbered from 0
NodeCores node_cores(std::span<const RankCores> ranks, std::span<const int> node_of_rank);

/// True if the threads of the ranks of one node fit, with `extra` more threads per rank. They fit
/// if within every mask, and within every group of masks that overlap, the ranks confined to it
/// have at most as many threads as it has hardware threads. All threads together must also fit into
/// every quota, because the ranks of a job share their control group.
bool fits(std::span<const RankCores> ranks, int extra);

}  // namespace plait::solve
