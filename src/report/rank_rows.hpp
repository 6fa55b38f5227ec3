// SPDX-License-Identifier: BSD-3-Clause
// The time of each rank, and the OpenMP and user regions of all ranks.
#pragma once

#include <vector>

#include "report/job.hpp"
#include "report/profile.hpp"
#include "trace/symbolize.hpp"

namespace plait::report {

/// The row of one rank. Its time runs from the end of MPI_Init to MPI_Finalize, or to the last
/// record of a process that did not reach it. Time in MPI is the main thread's, or that of the
/// thread with most of it when the main thread does not call MPI; MPI_Init and MPI_Finalize do not
/// count.
RankRow rank_row(const trace::RankRecord& record);

/// All OpenMP threads, and regions merged over ranks by the address of their body.
OpenMp openmp_of(const Job& job, const trace::Symbolizer& symbolizer);

/// User regions merged over ranks by name and enclosing regions.
std::vector<RegionRow> user_regions(const Job& job);

/// "loaded", "initialized", "finalized", "exited".
std::string state_name(plait_record_state state);

/// The name of a user region with those that enclose it: "solve/assembly".
std::string region_name(const std::vector<trace::UserRegion>& regions, std::size_t index);

}  // namespace plait::report
