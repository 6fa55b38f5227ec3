// SPDX-License-Identifier: BSD-3-Clause
// What a run's records lack, and why, in sentences.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/job.hpp"

namespace plait::report {

/// The signal that ended a rank, as the launcher printed it.
struct RankSignal {
  int rank = -1;  ///< -1: not said
  int pid = -1;   ///< -1: not said
  int signal = 0;
  bool operator==(const RankSignal&) const = default;
};

/// Finds what Open MPI 4 and 5, MPICH and Intel MPI print about a rank ended by a signal.
/// @param output  what the launcher printed, with the program's own output
std::vector<RankSignal> signals_in(const std::string& output);

/// The last 64 KiB of stdout.txt and stderr.txt of a run directory; empty where they are missing.
std::string last_output(const std::filesystem::path& run_dir);

/// One sentence for each rank that left no records or never came to MPI_Finalize: those that
/// were killed or called MPI_Abort first, then by when their records end; ranks of a kind together
/// when they are many.
std::vector<std::string> missing_ranks(const Job& job, const std::vector<RankSignal>& signals);

}  // namespace plait::report
