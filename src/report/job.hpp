// SPDX-License-Identifier: BSD-3-Clause
// The MPI job that a profile is about, chosen among the processes of a run.
#pragma once

#include <string>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::report {

/// The records of one MPI job, at most one per rank, by rank.
struct Job {
  int world_size = 0;
  std::vector<const trace::RankRecord*> ranks;
};

/// Groups the records of a run into MPI jobs (a script may start several, a program may spawn) and
/// returns the one with the most rank seconds; empty when no process initialized MPI.
/// @param notes  receives a sentence when there are several
Job main_job(const std::vector<trace::RankRecord>& records, std::vector<std::string>& notes);

/// True if the process reached MPI_Finalize.
bool is_finalized(const trace::RankRecord& record);

}  // namespace plait::report
