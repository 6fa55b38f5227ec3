// SPDX-License-Identifier: BSD-3-Clause
// Root causes of waiting: whose computation, which chain of messages made the others wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// Who made others wait: a rank's computation (between two of its calls, or in a user region) that
/// took longer than that of those who waited, or what is wrong with the communication itself.
struct RootCause {
  /// "computation": more of it than those have who wait. "serialization": no more of it over time,
  /// but one rank after the other. "late posted receive": no more of it, but before a receive whose
  /// sender stood by. "late start": MPI_Init ended later. "transfer": what the ideal network's
  /// replay takes away (without a replay: time in communication that is no waiting).
  std::string kind;
  int rank = -1;                             ///< -1: several (serialization, transfer)
  std::uint32_t region = trace::kNone;       ///< user region in which the delay arose; kNone: none
  std::uint32_t before_site = trace::kNone;  ///< of the call that ended the delaying computation;
                                             ///< of the late receive; where waiting or transfer is
                                             ///< dearest (serialization, transfer)
  double seconds = 0;                        ///< waiting of others that it caused (propagated)
  double own_excess_s =
      0;  ///< computation: how much longer than the mean of the delayed, there; 0: not known
  std::vector<int> delayed;  ///< ranks, most delayed first, at most 8
  std::vector<int> chain;    ///< serialization: who worked, in order of time, at most 8
};

/// The causes of all waiting, dearest first, by delay analysis (Boehme, Geimer, Wolf, Arnold 2010,
/// "Identifying the root causes of wait states in large-scale parallel applications"; Boehme,
/// Geimer, Arnold, Voigtlaender, Wolf 2016): see docs/analysis.md. "transfer" then holds waiting
/// for time in calls that is no waiting. n log n in the waits, otherwise linear in the events.
std::vector<RootCause> find_causes(const trace::Trace& trace, const Lanes& lanes,
                                   const Waits& waits);

}  // namespace plait::analysis
