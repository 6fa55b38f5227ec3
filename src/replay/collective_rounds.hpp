// SPDX-License-Identifier: BSD-3-Clause
// Replays collectives as the messages of common algorithms, one round of one member at a time.
//
// After Thakur, Rabenseifner and Gropp 2005, "Optimization of Collective Communication Operations
// in MPICH" (IJHPCA 19, 49), with the sizes at which MPICH 3 switches algorithms:
//   barrier         dissemination (Hensgen, Finkel and Manber 1988)
//   broadcast       binomial tree; from 12 KiB and 8 members: scatter and ring allgather
//   reduce          binomial tree; above 2 KiB: recursive halving and gather (Rabenseifner)
//   allreduce       recursive doubling; above 2 KiB: recursive halving and doubling (Rabenseifner)
//   gather, scatter binomial tree
//   allgather       Bruck; from 80 KiB in total: ring
//   alltoall        Bruck up to 256 B per partner; above: pairwise
//   reduce-scatter  recursive halving; from 512 KiB: pairwise
//   scan            partial sums at distance 1, 2, 4, ... (Hillis and Steele 1986)
#pragma once

#include <cstdint>

#include "replay/program.hpp"

namespace plait::replay {

/// What a member does in a round: at most one message in each direction, concurrently.
struct Round {
  std::uint32_t send_to = trace::kNone;       ///< member
  std::uint32_t receive_from = trace::kNone;  ///< member
  std::uint64_t send_bytes = 0;
  std::uint32_t tag = 0;  ///< of both messages; equal on the two sides of a message
};

/// A member of a collective.
struct Member {
  Pattern pattern = Pattern::barrier;
  std::uint32_t members = 1;
  std::uint32_t index = 0;  ///< of this member among all members
  std::uint32_t root = 0;
  /// Broadcast, reductions, scan: size of the vector. Gather, allgather: sent by one member.
  /// Scatter: sent to one member. Alltoall: sent by one member to all.
  std::uint64_t bytes = 0;
};

/// Sets `round` to the member's round `number` (from 0). The member may have no message in a round.
/// @returns false when the collective has no more rounds
bool round_of(const Member& member, std::uint32_t number, Round& round);

}  // namespace plait::replay
