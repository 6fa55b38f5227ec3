// SPDX-License-Identifier: BSD-3-Clause
// The parts of a report that need a trace: analysis.json and the page's timeline.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.hpp"
#include "base/processes.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// What a trace adds; both values are null when the run has no trace.
struct TraceParts {
  nlohmann::json analysis;  ///< the contents of RUN/analysis.json
  nlohmann::json timeline;  ///< null: not requested
  std::string problem;      ///< why the trace cannot be analysed; empty: no problem
};

/// The analysis of a run: reads RUN/analysis.json, or analyses the trace and writes the file again
/// if it is missing, damaged, of another version, or older than the trace or machine.json. Neither
/// a read-only run directory nor an unreadable trace is an error.
/// @param profile  of the run
/// @param with_timeline  also makes the timeline, which reads the trace
/// @param processes  of which this one is process 0: the others call help_with_trace_parts()
TraceParts open_trace_parts(const std::filesystem::path& run_dir, const Profile& profile,
                            bool with_timeline, Processes& processes);

/// The part of the other processes in open_trace_parts(): they share the analysis, and
/// make the timeline if they have parts of the trace.
void help_with_trace_parts(Processes& processes);

}  // namespace plait::report
