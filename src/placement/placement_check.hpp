// SPDX-License-Identifier: BSD-3-Clause
// Checks where the ranks and threads of a run may run, and finds those that share cores needlessly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"

namespace plait::placement {

/// The way in which a rank waits for a message.
enum class Waiting { unknown, spins, yields };

/// A node. Its topology has the cores, the NUMA domains, what the job may use and the cgroup quota.
struct HostPlaces {
  std::string name;
  machine::Topology topology;
};

/// One thread and the hardware threads on which it may run.
struct ThreadPlace {
  int thread = 0;  ///< OpenMP number
  int tid = 0;
  machine::CpuSet allowed;
};

/// One rank and its threads that compute, without the helper threads of the MPI library.
struct RankPlace {
  int rank = 0;
  int host = 0;         ///< index into PlacementInput::hosts
  std::string program;  ///< name of its file
  std::vector<ThreadPlace> threads;
  int threads_wanted = 1;       ///< as many as the OpenMP runtime starts; may exceed threads.size()
  bool after_parallel = false;  ///< the threads were observed after the first parallel region
  Waiting waiting = Waiting::unknown;
  std::optional<double> cpu_s;       ///< CPU time used
  std::optional<double> cpu_wait_s;  ///< time spent waiting for a CPU while runnable
};

/// A process of another job that may run on some of the same cores.
struct ForeignPlace {
  int host = 0;
  int pid = 0;
  std::string name;
  machine::CpuSet allowed;
  std::optional<double> cpu_share;  ///< of one core
};

struct PlacementInput {
  std::vector<HostPlaces> hosts;
  std::vector<RankPlace> ranks;
  std::vector<ForeignPlace> foreign;
};

/// A problem of a placement. A fix is computed from `ranks_here`, `threads_per_rank` and `cores`,
/// which describe the host with the problem.
struct PlacementFinding {
  /// threads_on_one_core, ranks_overlap, foreign_processes, oversubscribed_spin, oversubscribed,
  /// quota_below_cores, unbound_threads_float
  std::string id;
  std::string severity;  ///< "high", "medium", "low"
  std::string what;      ///< the title, at most ten words
  std::string evidence;
  std::string cost;
  std::string host;
  int ranks_here = 0;
  int threads_per_rank = 1;   ///< the largest number on this host
  int cores = 0;              ///< allowed on this host, at most the quota
  machine::CpuSet free_cpus;  ///< allowed, and used by no foreign process
  bool fits() const { return ranks_here * threads_per_rank <= cores; }
};

struct PlacementJudgement {
  std::vector<PlacementFinding> findings;  ///< worst first
  std::string sentence;                    ///< check_sentence()
};

/// Checks a placement. Uses nothing but its input.
/// The criterion is the number of threads that can run at once: a maximum matching of threads to
/// the cores of their masks (to hardware threads if there are more threads than cores).
/// @param input  ranks of any number of hosts; a host without a topology is not checked and only
///               counted in the sentence
PlacementJudgement judge_placement(const PlacementInput& input);

}  // namespace plait::placement
