// SPDX-License-Identifier: BSD-3-Clause
// Patterns of communication that cost time, each with evidence, cost and remedy.
#pragma once

#include <string>
#include <vector>

#include "analysis/causes.hpp"
#include "analysis/measured_progress.hpp"
#include "analysis/message_profile.hpp"
#include "analysis/wait_states.hpp"
#include "machine/measured.hpp"

namespace plait::analysis {

/// Something that tuning guides warn of (Supalov, Semin, Klemm, Dahnken 2014, "Optimizing HPC
/// Applications with Intel Cluster Tools", chapter 5); thresholds stand in docs/findings.md.
struct PatternFinding {
  std::string id;        ///< "any_source", "idle_barrier", "handmade_collective", "waitany_loop",
                         ///< "late_receive", "no_overlap", "packing", "small_messages", "chain"
  std::string what;      ///< one sentence: what was seen
  std::string evidence;  ///< numbers
  double cost_s = 0;     ///< what it costs a rank at most; 0: cannot be told
  std::string remedy;
  std::vector<int> ranks;            ///< dearest first, at most 8
  std::vector<std::uint32_t> sites;  ///< dearest first, at most 8
};

/// Dearest first. n log n in the events at most.
/// @param measured  of the machine (may be null)
/// @param mpi  of the run: what was measured on overlap holds for one MPI
std::vector<PatternFinding> find_patterns(const trace::Trace& trace, const Lanes& lanes,
                                          const Waits& waits, const std::vector<RootCause>& causes,
                                          const machine::Measured* measured,
                                          const RunMpi& mpi = {});

}  // namespace plait::analysis
