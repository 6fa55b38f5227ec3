// SPDX-License-Identifier: BSD-3-Clause
// What a run's trace adds to its report: analysis.json, and the page's timeline.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "report/profile.hpp"

namespace plait::report {

/// Both null when the run has no trace.
struct TraceParts {
  nlohmann::json analysis;  ///< as in RUN/analysis.json
  nlohmann::json timeline;  ///< null: not asked for
  std::string problem;      ///< why a trace that is there has no analysis; empty: nothing to say
};

/// The analysis of a run: RUN/analysis.json as it is, or made and written again when it is absent,
/// damaged, of another version, or older than the trace or machine.json. A run directory that
/// cannot be written to, or whose trace cannot be read, is no error.
/// @param profile  of the run
/// @param with_timeline  reads the trace for the timeline, too
TraceParts open_trace_parts(const std::filesystem::path& run_dir, const Profile& profile,
                            bool with_timeline);

}  // namespace plait::report
