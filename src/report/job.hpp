// SPDX-License-Identifier: BSD-3-Clause
// The MPI job that a profile is about, chosen among the processes of a run.
#pragma once

#include <string>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::report {

/// The ranks of one MPI job, at most one record for each, ascending.
struct Job {
  int world_size = 0;
  std::vector<const trace::RankRecord*> ranks;
};

/// Groups the records of a run into MPI jobs (a script may start several, a program may spawn) and
/// gives the one that took the most rank seconds; an empty job when no process initialized MPI.
/// @param notes  gets a sentence when there are several
Job main_job(const std::vector<trace::RankRecord>& records, std::vector<std::string>& notes);

/// Whether the process came to MPI_Finalize.
bool is_finalized(const trace::RankRecord& record);

}  // namespace plait::report
