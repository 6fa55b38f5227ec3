// SPDX-License-Identifier: BSD-3-Clause
// The communication matrix: messages that ranks sent, and traffic that collectives imply.
#pragma once

#include <string>
#include <vector>

#include "report/profile.hpp"
#include "trace/rank_record.hpp"

namespace plait::report {

/// The logical data flow of a collective: which process needs the data of which other, not the
/// messages of the algorithm that an MPI library uses.
enum class Flow {
  unknown,      ///< not shown, or recorded per partner (Alltoallv, Scatterv, ...)
  from_root,    ///< Bcast, Scatter: root to each other process
  to_root,      ///< Reduce, Gather, Gatherv: each other process to root
  all_to_all,   ///< Allreduce, Allgather(v), Alltoall, Reduce_scatter(_block): every ordered pair
  to_higher,    ///< Scan, Exscan: each process to those of higher rank
  synchronize,  ///< Barrier: every ordered pair, messages of 0 bytes
};

/// The flow of an MPI function; the same for its nonblocking, persistent and large-count forms.
Flow flow_of(const std::string& function);

/// The matrix of a run, with `nodes` empty.
/// Point-to-point messages and collectives recorded per partner (MPI_Alltoallv and others) are used
/// as recorded. Other collectives count by their flow: one message per call and partner, with the
/// bytes that the process contributes to one partner. Data for the process itself is omitted, and
/// so are the entries of collectives in which more than 512 processes each send to all others.
/// @param records      of one MPI job, at most one per rank
/// @param max_entries  in each of the two lists; entries with the fewest bytes are dropped
Matrix communication_matrix(const std::vector<const trace::RankRecord*>& records, int world_size,
                            std::size_t max_entries);

}  // namespace plait::report
