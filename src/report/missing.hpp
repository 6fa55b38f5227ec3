// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose records are missing or incomplete, and why.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/job.hpp"

namespace plait::report {

/// The signal that ended a rank, as the launcher printed it.
struct RankSignal {
  int rank = -1;  ///< -1: unknown
  int pid = -1;   ///< -1: unknown
  int signal = 0;
  bool operator==(const RankSignal&) const = default;
};

/// Finds the messages of Open MPI 4 and 5, MPICH and Intel MPI about ranks that a signal ended.
/// @param output  of launcher and program
std::vector<RankSignal> signals_in(const std::string& output);

/// The last 64 KiB of stdout.txt and stderr.txt of a run directory; empty where they are missing.
std::string last_output(const std::filesystem::path& run_dir);

/// A sentence for each rank that left no records or did not reach MPI_Finalize: first those that
/// were killed or called MPI_Abort, then by the end of their records. Many ranks share a sentence.
std::vector<std::string> missing_ranks(const Job& job, const std::vector<RankSignal>& signals);

}  // namespace plait::report
