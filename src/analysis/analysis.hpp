// SPDX-License-Identifier: BSD-3-Clause
// Analyzes the trace of a run: efficiencies, causes of waiting, critical path, imbalance, phases,
// messages, patterns. The header of each part describes its method.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/causes.hpp"
#include "analysis/critical_path.hpp"
#include "analysis/imbalance.hpp"
#include "analysis/message_profile.hpp"
#include "analysis/patterns.hpp"
#include "analysis/phases.hpp"
#include "analysis/pop.hpp"
#include "analysis/wait_states.hpp"
#include "base/processes.hpp"
#include "machine/measured.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

struct Analysis {
  double time_s = 0;   ///< from the first rank's start to the last rank's end
  double cut_s = 0;    ///< left out of time_s, because a rank had a gap; see trace::cut_gaps()
  double ideal_s = 0;  ///< on the ideal network; 0: it could not be replayed
  std::uint64_t events = 0;
  std::uint32_t traced_ranks = 0;  ///< all ranks but those that --trace-ranks left out
  double without_partner =
      0;  ///< fraction of sends and receives without a partner; not those of ranks left out
  std::vector<PopSet> efficiencies;
  std::vector<WaitState> waits;   ///< longest first
  std::vector<double> waiting_s;  ///< by rank
  std::vector<RootCause> causes;  ///< see sort_causes()
  CriticalPath critical_path;
  Imbalance imbalance;
  std::vector<Phase> phases;
  MessageProfile messages;
  std::vector<PatternFinding> patterns;
  std::vector<std::string> notes;  ///< sentences: what could not be determined, and why
};

/// CPU time of each part of an analysis, s: of the thread that begins it, so of all with one thread
/// and one process.
struct AnalysisTimes {
  double lanes_s = 0, waits_s = 0, causes_s = 0, critical_path_s = 0,
         replay_s = 0,  ///< with the imbalance
      efficiencies_s = 0, phases_s = 0, messages_s = 0, patterns_s = 0;
};

/// Analyzes a trace, after trace::cut_gaps(). Linear in the events except for sorting; 10^7 events
/// take 20 s on one core.
/// @param measured  of the machine, for path speeds and protocol switches; may be null
/// @param mpi       of the run; decides whether measurements of an MPI apply
/// @param times     gets the CPU time of each part; may be null
/// @param threads   that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes that share the work, each with its part of the trace or all with the whole one
///                  (Trace::shares); null: this one alone. Process 0 gets the result, which is the
///                  same for any number of them. Collective among them.
Analysis analyze(const trace::Trace& trace, const machine::Measured* measured,
                 const RunMpi& mpi = {}, AnalysisTimes* times = nullptr, unsigned threads = 0,
                 Processes* processes = nullptr);

}  // namespace plait::analysis
