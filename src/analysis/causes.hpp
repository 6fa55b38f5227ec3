// SPDX-License-Identifier: BSD-3-Clause
// Root causes of waiting: the computation or the chain of messages that made others wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sync_intervals.hpp"
#include "analysis/wait_states.hpp"

namespace plait::analysis {

/// A cause of waiting: computation of a rank (between two calls, or in a user region) that took
/// longer than that of the waiting ranks, or a problem of the communication itself.
struct RootCause {
  /// "computation": the rank computes more than those that wait. "serialization": ranks compute
  /// equally long but one after another. "late posted receive": equally long, but before a receive
  /// for which the sender waits. "lock contention": equally long, but while holding the lock of a
  /// window. "wait for progress": equally long, but without calling MPI, which others need to
  /// access its window. "late start": MPI_Init ended later. "waiting for a CPU": ranks were ready
  /// to run, but had no CPU; they and those that waited for them. "transfer": time that the replay
  /// on the ideal network saves (without a replay: time in communication that is not waiting).
  std::string kind;
  int rank = -1;                             ///< -1: several (serialization, transfer)
  std::uint32_t region = trace::kNone;       ///< user region of the delay; kNone: none
  std::uint32_t before_site = trace::kNone;  ///< call after the delaying computation; the late
                                             ///< receive; the release; serialization and transfer:
                                             ///< the site with the longest time
  double seconds = 0;  ///< waiting that it caused, including propagated waiting; for a CPU: with
                       ///< own_excess_s
  double own_excess_s =
      0;  ///< computation: excess over the mean of the delayed ranks there; waiting for a CPU:
          ///< their own, without that of the delayed; 0: unknown
  std::vector<int> delayed;  ///< ranks, most delayed first, at most 8
  std::vector<int> chain;    ///< serialization: working ranks in order of time, at most 8
};

/// Collective. The causes of all waiting, in the order of sort_causes(), by delay analysis (Boehme,
/// Geimer, Wolf, Arnold 2010, "Identifying the root causes of wait states in large-scale parallel
/// applications"; Boehme, Geimer, Arnold, Voigtlaender, Wolf 2016): see
/// docs/explanation/trace-analysis.md. "transfer" is then waiting for time that others spend in
/// calls without waiting. n log n in the waits, linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work and all get the result; null: this one alone
std::vector<RootCause> find_causes(const trace::Trace& trace, const Lanes& lanes,
                                   const Waits& waits, const Intervals& intervals,
                                   unsigned threads = 0, Processes* processes = nullptr);

/// RootCause::kind of waiting for a CPU.
inline constexpr const char* kCpuWait = "waiting for a CPU";

/// Most expensive first, but waiting for a CPU last: other programs may cause it, and the causes in
/// the program itself keep their order.
void sort_causes(std::vector<RootCause>& causes);

}  // namespace plait::analysis
