// SPDX-License-Identifier: BSD-3-Clause
// Writes the profile and the page of a run directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/profile.hpp"
#include "report/trace_parts.hpp"

namespace plait::report {

/// The results of a run.
struct FinishedRun {
  Profile profile;
  TraceParts trace;
  std::string page_left_out;          ///< one sentence why there is no page; empty: there is one
  std::vector<std::string> problems;  ///< sentences: files that could not be written
};

/// Builds the profile of a run directory and writes profile.json, report.html and, if there is a
/// trace, analysis.json into it. A missing page template is not an error, nor is a file that cannot
/// be written: the program has run.
/// @param with_trace  reads the trace, which may take long
/// @throws Error when run.json is missing or damaged.
FinishedRun finish_run(const std::filesystem::path& run_dir, bool with_trace);

/// The profile of a run directory: reads profile.json, or builds and writes it again if it is
/// missing, damaged, of another version, or older than run.json or a record. Writing may fail.
/// @throws Error when run.json is missing or damaged, or no record can be read.
Profile open_run(const std::filesystem::path& run_dir);

/// The run directory under `folder` (plait-runs) whose run.json changed last.
/// @throws Error when there is none.
std::filesystem::path newest_run(const std::filesystem::path& folder);

/// The path to print as the result of a run: its report.html if there is one, else the directory;
/// relative where that is shorter.
std::string result_of(const std::filesystem::path& run_dir);

}  // namespace plait::report
