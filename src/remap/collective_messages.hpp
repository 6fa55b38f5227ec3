// SPDX-License-Identifier: BSD-3-Clause
// The messages of collective operations, which only the MPI library sees.
#pragma once

#include <functional>

#include "trace/rank_record.hpp"

namespace plait::remap {

/// Messages from this process to a world rank.
using SendTo = std::function<void(int world_rank, double messages, double bytes)>;

/// The messages that a process sends in collective calls, if the MPI library uses the usual
/// algorithm (Thakur, Rabenseifner and Gropp 2005). Of n members, process r sends to
/// - r + 2^k in Barrier, Scan and Exscan (not beyond the last in the latter two);
/// - its children in a binomial tree in Bcast, its parent in Reduce;
/// - r xor 2^k in Allreduce, for the largest power of 2 of the members; a member beyond sends to
///   one within, which answers;
/// - r - 2^k in Allgather(v) of less than 512 KiB in all, min(2^k, n - 2^k) blocks (Bruck);
///   otherwise n - 1 blocks to r + 1 (ring);
/// - each other process in Alltoall and Reduce_scatter(_block);
/// - the root in Gather(v); each other process, as root, in Scatter.
/// Nothing is sent in functions whose messages are counted for each partner (Alltoallv), on
/// intercommunicators, and on communicators whose members the record does not have.
void collective_messages(const trace::Communicator& comm, const trace::CollectiveEntry& calls,
                         const SendTo& send);

}  // namespace plait::remap
