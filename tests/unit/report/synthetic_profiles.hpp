// SPDX-License-Identifier: BSD-3-Clause
// Synthetic profiles, one for each situation that a report has to distinguish.
#pragma once

#include "report/profile.hpp"

namespace plait::report {

Profile healthy_profile();        ///< 4 balanced ranks, 3 % MPI
Profile imbalanced_profile();     ///< 4 ranks, rank 3 works twice as long
Profile wrapped_profile();        ///< 4 ranks that wait in a wrapper which two functions call
Profile communication_profile();  ///< 8 ranks, most of the time in an alltoall
Profile one_core_profile();       ///< 2 ranks x 2 threads, each rank's threads on one core
Profile killed_profile();         ///< rank 2 of 4 killed by signal 9
Profile many_ranks_profile();     ///< 256 ranks of 4 hosts
Profile no_mpi_calls_profile();   ///< 2 ranks that only start and end MPI
Profile one_rank_profile();       ///< 1 rank
Profile without_ranks_profile();  ///< no process initialized MPI
Profile hostile_profile();        ///< texts too long, too many, or not printable
Profile full_profile();           ///< every field and every list set, for the schema

}  // namespace plait::report
