// SPDX-License-Identifier: BSD-3-Clause
// What the ranks on this node have done so far, from the records that they write while they run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "remap/arrangement.hpp"

namespace plait::remap {

/// A rank on this node, between MPI_Init and MPI_Finalize.
struct NodeRank {
  int world_rank = 0;
  pid_t pid = 0;
  unsigned long long start_ticks = 0;  ///< ProcessStat::start_ticks: with the pid, identifies it
  int threads = 1;                     ///< of OpenMP, as far as known
  double mpi_s = 0;                    ///< inside MPI so far
  double cpu_s = 0;                    ///< CPU time so far
  struct Sent {
    double messages = 0, bytes = 0;
  };
  std::map<int, Sent> sent;  ///< so far, by world rank
};

/// The ranks of a job at a moment.
struct NodeRanks {
  double at_s = 0;                     ///< of a clock that never jumps
  std::vector<NodeRank> ranks;         ///< on this node, by world rank
  int elsewhere = 0;                   ///< on other nodes, or in other containers
  bool complete = false;               ///< all ranks are there
  bool ended = false;                  ///< a rank has called MPI_Finalize, or has ended
  std::filesystem::path first_record;  ///< of the first rank on this node; empty: there is none
  std::uint64_t asked = 0;             ///< requests_in(first_record)
  bool ambiguous = false;  ///< two processes have the same rank: the program has started more
};

/// Reads the records of a run. Files that cannot be read (yet) are left out.
NodeRanks read_node_ranks(const std::filesystem::path& records);

/// How often a rank has called plait_remap() so far; 0 if its record cannot be read.
std::uint64_t requests_in(const std::filesystem::path& record);

/// True if both have the same processes.
bool same_processes(const NodeRanks& a, const NodeRanks& b);

/// What happened between two moments with the same processes. Messages to ranks elsewhere are left
/// out: no move on this node changes them.
Interval interval_between(const NodeRanks& before, const NodeRanks& after);

}  // namespace plait::remap
