// SPDX-License-Identifier: BSD-3-Clause
// Whether a launcher and an MPI library that do not know each other made many jobs of one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launch/judge_run.hpp"

namespace plait::launch {

inline constexpr const char* kOneRankJobs = "one_rank_jobs";

/// The finding that a launcher's processes each are rank 0 of a job of their own, as many as the
/// command asks for, or, where it does not say, all at the same time; with what to start instead.
/// @param records  of all processes of the run
std::optional<RunFinding> one_rank_jobs(const std::vector<trace::RankRecord>& records,
                                        const Launcher& launcher,
                                        const std::vector<std::string>& command);

}  // namespace plait::launch
