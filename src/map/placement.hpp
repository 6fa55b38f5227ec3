// SPDX-License-Identifier: BSD-3-Clause
// Judges where ranks and threads may run: which share cores that they need not or cannot share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"

namespace plait::map {

/// How a rank waits for a message.
enum class Waiting { unknown, spins, yields };

/// A node: its topology tells cores, NUMA domains, what the job may use and the cgroup quota.
struct HostPlaces {
  std::string name;
  machine::Topology topology;
};

/// One thread: the hardware threads on which it may run.
struct ThreadPlace {
  int thread = 0;  ///< OpenMP number
  int tid = 0;
  machine::CpuSet allowed;
};

/// One rank and those of its threads that compute (not the MPI library's own helpers).
struct RankPlace {
  int rank = 0;
  int host = 0;  ///< index into PlacementInput::hosts
  std::vector<ThreadPlace> threads;
  int threads_wanted = 1;       ///< what the OpenMP runtime starts; may exceed threads.size()
  bool after_parallel = false;  ///< the threads were looked at after the first parallel region
  Waiting waiting = Waiting::unknown;
  std::optional<double> cpu_s;    ///< CPU time that it got
  std::optional<double> taken_s;  ///< time that it was runnable, but others ran
};

/// A process of another job, bound to some of the same cores.
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

/// What is wrong with a placement. `ranks_here`, `threads_per_rank`, `cores` describe the host on
/// which it was found, and are what a mend is computed from.
struct PlacementFinding {
  /// threads_on_one_core, ranks_overlap, foreign_processes, oversubscribed_spin, oversubscribed,
  /// quota_below_cores, unbound_threads_float
  std::string id;
  std::string severity;  ///< "high", "medium", "low"
  std::string what;
  std::string evidence;
  std::string cost;
  std::string host;
  int ranks_here = 0;
  int threads_per_rank = 1;   ///< the largest wanted on this host
  int cores = 0;              ///< allowed on this host, at most the quota
  machine::CpuSet free_cpus;  ///< allowed, and used by no foreign process
  bool fits() const { return ranks_here * threads_per_rank <= cores; }
};

struct PlacementJudgement {
  std::vector<PlacementFinding> findings;  ///< worst first
  std::string sentence;                    ///< one line, for a person
};

/// Judges a placement. Pure: looks at nothing but its input.
/// The measure is how many threads can run at once: a maximum matching of threads to the cores of
/// their masks (to hardware threads where there are more threads than cores).
/// @param input  ranks of any number of hosts; a host without a topology cannot be judged and is
///               only counted in the sentence
PlacementJudgement judge_placement(const PlacementInput& input);

/// The largest number of these threads that can run at once.
/// @param whole_cores  each on a core of its own; else each on a hardware thread of its own
int threads_at_once(const machine::Topology& topology, const std::vector<machine::CpuSet>& masks,
                    bool whole_cores);

/// The sentence of a judgement: ranks, threads, cores, and the worst finding.
std::string placement_sentence(const PlacementInput& input,
                               const std::vector<PlacementFinding>& findings);

}  // namespace plait::map
