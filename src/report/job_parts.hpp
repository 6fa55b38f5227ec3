// SPDX-License-Identifier: BSD-3-Clause
// The parts of a heterogeneous job: ranks that run the same program with as many threads.
#pragma once

#include <string>
#include <vector>

#include "report/job.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// The parts of a job, by their first rank; none if all ranks are alike. Where there are many
/// numbers of threads, the ranks of a program are one part.
/// @param rows  of the ranks of `job`, in that order
std::vector<JobPart> job_parts(const Job& job, const std::vector<RankRow>& rows);

/// The name of each rank's part: its program, with the threads where several parts run the same
/// one. Empty if there are no parts.
/// @param ranks  number of ranks
std::vector<std::string> part_of_ranks(const std::vector<JobPart>& parts, int ranks);

/// "2", "1 to 4".
std::string threads_text(int least, int most);

}  // namespace plait::report
