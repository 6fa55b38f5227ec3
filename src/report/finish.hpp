// SPDX-License-Identifier: BSD-3-Clause
// Writes the profile and the page of a run directory.
#pragma once

#include <filesystem>
#include <string>

#include "report/profile.hpp"
#include "report/trace_parts.hpp"

namespace plait::report {

/// Builds the profile of a run directory and writes profile.json, report.html and, if there is a
/// trace, analysis.json into it. A missing page template is not an error.
/// @param page_left_out  receives one sentence why there is no page, or nothing; may be null
/// @param trace_parts  receives what the trace adds; may be null
/// @throws Error when run.json is missing or damaged, or a file cannot be written.
Profile finish_run(const std::filesystem::path& run_dir, std::string* page_left_out = nullptr,
                   TraceParts* trace_parts = nullptr);

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
