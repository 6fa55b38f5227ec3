// SPDX-License-Identifier: BSD-3-Clause
// Where each rank's time went, and the OpenMP regions and user regions of all ranks.
#pragma once

#include <vector>

#include "report/job.hpp"
#include "report/profile.hpp"
#include "report/symbolize.hpp"

namespace plait::report {

/// The row of one rank. Its time runs from MPI_Init's end to MPI_Finalize, or to the last record of
/// a process that never came there. The main thread's time in MPI counts (that of the thread that
/// spent most there when the main thread calls no MPI); MPI_Init and MPI_Finalize do not.
RankRow rank_row(const trace::RankRecord& record);

/// All OpenMP threads, and regions merged over ranks by the address of their body.
OpenMp openmp_of(const Job& job, const Symbolizer& symbolizer);

/// User regions merged over ranks by name and enclosing regions.
std::vector<RegionRow> user_regions(const Job& job);

/// "loaded", "initialized", "finalized", "exited".
std::string state_name(plait_record_state state);

}  // namespace plait::report
