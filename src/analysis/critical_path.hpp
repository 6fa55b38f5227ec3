// SPDX-License-Identifier: BSD-3-Clause
// The critical path: the chain of computation and messages that determines the run time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/wait_states.hpp"

namespace plait::analysis {

struct PathPart {
  int rank = 0;
  double begin_s = 0, end_s = 0;
  std::string
      kind;  ///< "computation", "mpi", "transfer" (after the partner's arrival), "late start"
  std::uint32_t region = trace::kNone, site = trace::kNone;
};
struct PathOwner {
  int rank = -1;
  std::uint32_t region = trace::kNone, site = trace::kNone;
  std::string kind;
  double seconds = 0;  ///< on the path
  double share = 0;    ///< of the path
};
struct CriticalPath {
  double seconds = 0;
  std::vector<PathPart> parts;    ///< in order of time; at most 4096, the shortest merged
  std::vector<PathOwner> owners;  ///< longest first
};

/// Walks backwards from the end of the last rank: along its lane to its last wait state, then along
/// the lane of the awaited rank (Boehme, Wolf, de Supinski, Schulz, Geimer 2012, "Scalable
/// critical-path based performance analysis"). Linear in the length of the path.
/// @param processes  that share the work; null: this one alone. Collective among them.
/// @returns the path, on process 0; nothing on the others
CriticalPath find_critical_path(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                                unsigned threads = 0, Processes* processes = nullptr);

}  // namespace plait::analysis
