// SPDX-License-Identifier: BSD-3-Clause
// Advice for programs that spend their time in all-to-all exchanges: fewer ranks with threads.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "report/profile.hpp"

namespace plait::advise {

/// Sentences on a run whose ranks exchange data with MPI_Alltoall and the like for at least a tenth
/// of their time: the number of ranks per node and package with which messages are predicted to
/// take least time, or that fewer ranks would not help. Empty for other runs, for one rank per
/// node, where links were not measured, and if it is not known which ranks of a communicator share
/// a node. Communicators that do not have all ranks are taken for rows and columns of a grid of
/// ranks (pencils). The calls are MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw in all their forms:
/// blocking, nonblocking, persistent, with large counts. The waits for those that only start count
/// if the program has hardly any other requests; if it has, the time is a lower bound. The
/// prediction assumes that the amount of data does not depend on the number of ranks, and that the
/// time in these calls is that of messages.
/// @param ranks_per_node  of the fullest node
std::vector<std::string> all_to_all_advice(const report::Profile& profile,
                                           const machine::MachineFile& machine, int ranks_per_node);

}  // namespace plait::advise
