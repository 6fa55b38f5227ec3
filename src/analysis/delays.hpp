// SPDX-License-Identifier: BSD-3-Clause
// Delay analysis: shares out all waiting among the computation and the calls that it comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/sync_intervals.hpp"
#include "analysis/wait_states.hpp"

namespace plait::analysis {

enum class DelayKind : std::uint8_t {
  kComputation,
  kSerialization,
  kLateReceive,
  kLateStart,
  kCalls  ///< time in MPI that is no waiting
};

/// What delayed others: computation of a rank in a region before a call (kLateReceive: before the
/// receive), or a rank's calls.
struct Delay {
  DelayKind kind = DelayKind::kComputation;
  std::uint32_t rank = 0;
  std::uint32_t region = trace::kNone, site = trace::kNone;
  bool operator==(const Delay&) const = default;
};

/// How much of all waiting a delay explains.
struct DelaySum {
  Delay delay;
  double ns = 0;
  std::int64_t first = INT64_MAX;  ///< ns: when it was first waited for
};

/// The delay that explains most of one wait.
struct MainDelay {
  std::uint32_t delay = trace::kNone;  ///< Delays::sums; kNone: a wait of the awaited lane:
  std::uint32_t through = trace::kNone;
};

struct Delays {
  std::vector<DelaySum> sums;
  std::vector<std::vector<MainDelay>> main;  ///< by lane and wait, followed to its root
};

/// Each wait passes its own length and what later waits passed on to it to the awaited rank's
/// larger computation since the two were in step, to its larger waiting (and so to the causes of
/// that), to its longer calls, and to its late start, in proportion.
Delays find_delays(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                   const Intervals& intervals);

}  // namespace plait::analysis
