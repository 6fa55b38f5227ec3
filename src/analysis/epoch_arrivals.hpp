// SPDX-License-Identifier: BSD-3-Clause
// For which calls of other ranks the calls that synchronize windows wait.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analysis/collective_arrivals.hpp"
#include "analysis/lanes.hpp"
#include "analysis/wait_states.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// The arrivals that calls of general active target synchronization (MPI-4.1, section 12.5.2) wait
/// for, and those of passive target synchronization (lock_waits.hpp). The n-th access epoch of an
/// origin to a target on a window belongs to the target's n-th exposure epoch for this origin.
class EpochArrivals {
public:
  EpochArrivals(const trace::Trace& trace, const Lanes& lanes);

  /// MPI_Win_start and MPI_Win_complete wait for the MPI_Win_post of all targets, MPI_Win_wait and
  /// MPI_Win_test for the MPI_Win_complete of all origins.
  struct Awaited {
    Arrival last;  ///< no lane: nobody
    WaitKind kind = WaitKind::late_post;
  };
  [[nodiscard]] Awaited awaited(std::uint32_t lane, std::uint32_t call) const;

private:
  std::unordered_map<std::uint64_t, Awaited> of_;  ///< by lane and call
};

}  // namespace plait::analysis
