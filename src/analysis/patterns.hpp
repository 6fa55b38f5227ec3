// SPDX-License-Identifier: BSD-3-Clause
// Finds patterns of communication that cost time, each with evidence, cost and remedy.
#pragma once

#include <string>
#include <vector>

#include "analysis/causes.hpp"
#include "analysis/measured_progress.hpp"
#include "analysis/message_profile.hpp"
#include "analysis/wait_states.hpp"
#include "base/processes.hpp"
#include "machine/measured.hpp"

namespace plait::analysis {

/// A pattern that tuning guides warn about (Supalov, Semin, Klemm, Dahnken 2014, "Optimizing HPC
/// Applications with Intel Cluster Tools", chapter 5); docs/reference/findings.md lists the
/// thresholds.
struct PatternFinding {
  std::string id;        ///< "any_source", "idle_barrier", "handmade_collective", "waitany_loop",
                         ///< "late_receive", "no_overlap", "packing", "small_messages", "chain",
                         ///< "slow_link"
  std::string what;      ///< title: one sentence of at most ten words
  std::string evidence;  ///< numbers
  double cost_s = 0;     ///< upper bound for one rank; 0: unknown
  std::string remedy;
  std::vector<int> ranks;            ///< most expensive first, at most 8
  std::vector<std::uint32_t> sites;  ///< most expensive first, at most 8
};

/// Collective. All patterns, most expensive first. At most n log n in the events.
/// @param causes    of several processes, only the first one needs them
/// @param measured  of the machine; may be null
/// @param mpi       of the run; overlap is measured per MPI
/// @param threads   that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that have the events of the lanes in Lanes::shares; null: this one alone. Of
///                   several, the first one gets the result.
std::vector<PatternFinding> find_patterns(const trace::Trace& trace, const Lanes& lanes,
                                          const Waits& waits, const std::vector<RootCause>& causes,
                                          const machine::Measured* measured, const RunMpi& mpi = {},
                                          unsigned threads = 0, Processes* processes = nullptr);

}  // namespace plait::analysis
