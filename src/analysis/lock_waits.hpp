// SPDX-License-Identifier: BSD-3-Clause
// For whom calls of passive target synchronization wait: MPI_Win_lock, MPI_Win_flush,
// MPI_Win_unlock and their variants.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/collective_arrivals.hpp"
#include "analysis/lanes.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// A call that waits until another rank releases a lock, or until its target calls MPI.
struct LockWait {
  Lanes::Place waiting;
  Arrival by;            ///< the call that releases the lock; the target's next call
  bool for_lock = true;  ///< false: for progress
};

/// The waits of all calls of passive target synchronization (MPI-4.1, section 12.5.3); a call may
/// have one of each kind. See docs/explanation/trace-analysis.md. n log n in the calls.
std::vector<LockWait> find_lock_waits(const trace::Trace& trace, const Lanes& lanes);

}  // namespace plait::analysis
