// SPDX-License-Identifier: BSD-3-Clause
// Delay analysis: attributes all waiting to the computation and calls that caused it.
#pragma once

#include <cstdint>
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

/// The delay that explains most of one wait.
struct MainDelay {
  std::uint32_t delay = trace::kNone;    ///< Delays::sums; kNone: see `through`
  std::uint32_t through = trace::kNone;  ///< a wait of the awaited lane that explains most
};

struct Delays {
  std::vector<DelaySum> sums;
  std::vector<std::vector<MainDelay>> main;  ///< by lane and wait, followed to the root
};

/// Distributes each wait, and what later waits passed on to it, in proportion among the awaited
/// rank's excess computation since the two were in step, its excess waiting (and its causes), its
/// longer calls, its longer waiting for a CPU, and its late start.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
Delays find_delays(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                   const Intervals& intervals, unsigned threads = 0);

}  // namespace plait::analysis
