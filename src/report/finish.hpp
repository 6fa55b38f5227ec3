// SPDX-License-Identifier: BSD-3-Clause
// From a run directory to its profile and page on disk.
#pragma once

#include <filesystem>
#include <string>

#include "report/profile.hpp"
#include "report/trace_parts.hpp"

namespace plait::report {

/// Builds the profile of a run directory, writes profile.json, report.html and, when there is a
/// trace, analysis.json into it.
/// Without the page's template report.html is left out, which is no error.
/// @param page_left_out  gets why there is no page, one sentence, or nothing (may be null)
/// @param trace_parts  gets what the trace adds (may be null)
/// @throws Error when run.json is missing or damaged, or a file cannot be written.
Profile finish_run(const std::filesystem::path& run_dir, std::string* page_left_out = nullptr,
                   TraceParts* trace_parts = nullptr);

/// The profile of a run directory: profile.json as it is, or built and written again when it is
/// absent, damaged, of another version, or older than run.json or a record.
/// A run directory that cannot be written to still gives its profile.
Profile open_run(const std::filesystem::path& run_dir);

/// The run directory that changed last under `folder` (plait-runs).
/// @throws Error when there is none.
std::filesystem::path newest_run(const std::filesystem::path& folder);

/// What to name as the result of a run: its report.html when there, else the directory.
std::string result_of(const std::filesystem::path& run_dir);

}  // namespace plait::report
