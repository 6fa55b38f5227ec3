// SPDX-License-Identifier: BSD-3-Clause
// The imbalance diagram: splits the time in MPI into imbalance, which an ideal network leaves, and
// interconnect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/eager_limits.hpp"
#include "analysis/lanes.hpp"
#include "analysis/size_classes.hpp"
#include "replay/replay.hpp"

namespace plait::analysis {

/// The time of one rank, summed over its threads that call MPI: computation, waiting that an ideal
/// network leaves, interconnect, waiting for a CPU or for ranks that do.
struct ImbalanceRow {
  int rank = 0;
  double calculation_s = 0, imbalance_s = 0, interconnect_s = 0, cpu_wait_s = 0;
};
/// The same for one function and size class.
struct BreakdownCell {
  std::uint32_t function = trace::kNone;
  std::uint64_t from_bytes = 0, to_bytes = 0;  ///< [from, to)
  double imbalance_s = 0, interconnect_s = 0;
  std::uint64_t count = 0;
};
struct Imbalance {
  std::string network;  ///< of the replay, with its rendezvous limit; empty: no replay
  std::vector<ImbalanceRow> ranks;
  std::vector<std::uint64_t> class_limits;      ///< upper limits of the size classes, ascending
  std::string class_source;                     ///< "measured protocol switches", "ITAC's classes"
  std::vector<BreakdownCell> cells;             ///< of the three most expensive functions
  std::vector<BreakdownCell> itac_cells;        ///< the same by ITAC's classes, if others are used
  std::uint32_t costliest_site = trace::kNone;  ///< with the most interconnect time
};

/// The length of each event of a thread, ns; see ReplayOptions::step_lengths.
using ThreadLengths = std::vector<double>;

/// A replay of the trace on the ideal network, with all threads that call MPI.
struct IdealRun {
  replay::ReplayResult result;
  std::vector<ThreadLengths> lengths;  ///< of all, or of the ranks of this process
  EagerLimits limits;
};

/// Replays a trace on the ideal network, where messages longer than the limits wait for their
/// receive.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work; null: this one alone
/// @returns nothing when it cannot be replayed to its end; `why` then gets a sentence
std::optional<IdealRun> replay_ideally(const trace::Trace& trace, const EagerLimits& limits,
                                       std::string& why, unsigned threads = 1,
                                       Processes* processes = nullptr);

/// The Application Imbalance Diagram of Intel Trace Analyzer, total and breakdown mode: imbalance
/// is the time of a call on the ideal network, interconnect the rest of its recorded time. The
/// replay does not wait for CPUs. A thread other than the main one computes in its parts of OpenMP
/// regions; without these, between its first and its last call.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  of the replay: they share the work and all get the result
Imbalance find_imbalance(const trace::Trace& trace, const Lanes& lanes, const IdealRun& ideal,
                         const SizeClasses& classes, unsigned threads = 0,
                         Processes* processes = nullptr);

/// Takes the time that all ranks lost by waiting for a CPU from their interconnect, in proportion.
void take_cpu_wait(double cpu_wait_s, Imbalance& imbalance);

}  // namespace plait::analysis
