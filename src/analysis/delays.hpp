// SPDX-License-Identifier: BSD-3-Clause
// Delay analysis: attributes all waiting to the computation and calls that caused it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/sync_intervals.hpp"
#include "analysis/wait_states.hpp"

namespace plait::analysis {

enum class DelayKind : std::uint8_t {
  computation,
  serialization,
  late_receive,
  lock,         ///< a lock was held meanwhile
  no_progress,  ///< others needed the rank to call MPI
  late_start,
  cpu_wait,  ///< waiting for a CPU
  calls      ///< time in MPI that is not waiting
};

/// What delayed others: computation of a rank in a region before a call (late_receive: the
/// receive; lock: its release), or a rank's calls.
struct Delay {
  DelayKind kind = DelayKind::computation;
  std::uint32_t rank = 0;
  std::uint32_t region = trace::kNone, site = trace::kNone;
  bool operator==(const Delay&) const = default;
};

/// The waiting that a delay explains.
struct DelaySum {
  Delay delay;
  double ns = 0;
  std::int64_t first = INT64_MAX;  ///< time at which it was first waited for, ns
};

struct Delays {
  std::vector<DelaySum> sums;
  /// By delay of `sums`: how long ranks were in waits which it explains most of, by rank, ns.
  std::vector<std::unordered_map<std::uint32_t, std::int64_t>> delayed;
};

/// Distributes each wait, and what later waits passed on to it, in proportion among the awaited
/// rank's excess computation since the two were in step, its excess waiting (and its causes), its
/// longer calls, its longer waiting for a CPU, and its late start.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work; null: this one alone. Collective among them.
/// @returns the delays, on process 0; nothing on the others
Delays find_delays(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                   const Intervals& intervals, unsigned threads = 0,
                   Processes* processes = nullptr);

}  // namespace plait::analysis
