// SPDX-License-Identifier: BSD-3-Clause
// The communication matrix: what ranks sent, and apart from it what collectives imply.
#pragma once

#include <string>
#include <vector>

#include "report/profile.hpp"
#include "trace/rank_record.hpp"

namespace plait::report {

/// How data flows in a collective, logically: which process's data another needs, not the messages
/// of the algorithm that an MPI library happens to use.
enum class Flow {
  unknown,      ///< not drawn, or recorded for each partner (Alltoallv, Scatterv, ...)
  from_root,    ///< Bcast, Scatter: root to each other process
  to_root,      ///< Reduce, Gather, Gatherv: each other process to root
  all_to_all,   ///< Allreduce, Allgather(v), Alltoall, Reduce_scatter(_block): every ordered pair
  to_higher,    ///< Scan, Exscan: each process to those of higher rank
  synchronize,  ///< Barrier: every ordered pair, messages of 0 bytes
};

/// The flow of an MPI function; non-blocking, persistent and large-count forms flow like theirs.
Flow flow_of(const std::string& function);

/// The matrix of a run. `nodes` is left empty.
/// Point to point and what collectives recorded for each partner (MPI_Alltoallv and others) are
/// taken as recorded; what other collectives imply follows from their flow: a message for each call
/// and partner, of the bytes that the process contributes to one partner. A process's data for
/// itself is not drawn.
/// @param records      of one MPI job, at most one for each rank
/// @param max_entries  of each of the two lists; beyond it those with fewest bytes are left out
Matrix communication_matrix(const std::vector<const trace::RankRecord*>& records, int world_size,
                            std::size_t max_entries);

}  // namespace plait::report
