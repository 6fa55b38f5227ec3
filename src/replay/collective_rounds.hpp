// SPDX-License-Identifier: BSD-3-Clause
// Collectives as the messages of the usual algorithms, one round of one member at a time.
//
// After Thakur, Rabenseifner and Gropp 2005, "Optimization of Collective Communication Operations
// in MPICH" (IJHPCA 19, 49), with the sizes at which MPICH 3 changes from one to the other:
//   barrier         dissemination (Hensgen, Finkel and Manber 1988)
//   broadcast       binomial tree; from 12 KiB on and 8 members: scatter and ring allgather
//   reduce          binomial tree; above 2 KiB: recursive halving and gather (Rabenseifner)
//   allreduce       recursive doubling; above 2 KiB: recursive halving and doubling (Rabenseifner)
//   gather, scatter binomial tree
//   allgather       Bruck; from 80 KiB in all on: ring
//   alltoall        Bruck up to 256 B a partner; above: pairwise
//   reduce-scatter  recursive halving; from 512 KiB on: pairwise
//   scan            partial sums at distance 1, 2, 4, ... (Hillis and Steele 1986)
#pragma once

#include <cstdint>

#include "replay/program.hpp"

namespace plait::replay {

/// What a member does in a round: at most one message each way, at once.
struct Round {
  std::uint32_t send_to = trace::kNone;       ///< member
  std::uint32_t receive_from = trace::kNone;  ///< member
  std::uint64_t send_bytes = 0;
  std::uint32_t tag = 0;  ///< of both; equal on the two sides of a message
};

/// One member's part in a collective.
struct Member {
  Pattern pattern = Pattern::kBarrier;
  std::uint32_t members = 1;
  std::uint32_t index = 0;  ///< own, among the members
  std::uint32_t root = 0;
  /// Broadcast, reductions, scan: the vector. Gather, allgather: of one member. Scatter: to one
  /// member. Alltoall: of one member to all.
  std::uint64_t bytes = 0;
};

/// The member's round number `number` (from 0); false when there is none of that number or beyond.
/// A round may have no message of this member. Pure.
bool round_of(const Member& member, std::uint32_t number, Round& round);

}  // namespace plait::replay
