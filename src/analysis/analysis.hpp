// SPDX-License-Identifier: BSD-3-Clause
// What a trace tells about a run: efficiencies, causes of waiting, critical path, imbalance,
// phases, messages, patterns. Plain results; each part's header says how they come about.
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
#include "machine/measured.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

struct Analysis {
  double time_s = 0;   ///< from the first rank's begin to the last rank's end
  double ideal_s = 0;  ///< replayed on the ideal network; 0: it could not be replayed
  std::uint64_t events = 0;
  double without_partner = 0;  ///< sends and receives whose other side is not in the trace / all
  std::vector<PopSet> efficiencies;
  std::vector<WaitState> waits;   ///< dearest first
  std::vector<double> waiting_s;  ///< by rank
  std::vector<RootCause> causes;  ///< dearest first
  CriticalPath critical_path;
  Imbalance imbalance;
  std::vector<Phase> phases;
  MessageProfile messages;
  std::vector<PatternFinding> patterns;
  std::vector<std::string> notes;  ///< what could not be told, and why
};

/// How long each part of an analysis took, s of CPU time.
struct AnalysisTimes {
  double lanes_s = 0, waits_s = 0, causes_s = 0, critical_path_s = 0, replay_s = 0, imbalance_s = 0,
         efficiencies_s = 0, phases_s = 0, messages_s = 0, patterns_s = 0;
};

/// Everything about a trace. `measured` prices paths and protocol switches; null: those parts say
/// that no machine was measured; `mpi` tells whether what was measured of an MPI holds. Linear in
/// the events but for sorting; 10^7 events in 20 s.
/// @param times  gets what each part took (may be null)
Analysis analyze(const trace::Trace& trace, const machine::Measured* measured,
                 const RunMpi& mpi = {}, AnalysisTimes* times = nullptr);

}  // namespace plait::analysis
