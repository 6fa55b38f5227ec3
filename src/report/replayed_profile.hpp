// SPDX-License-Identifier: BSD-3-Clause
// The run directory and the profile of a replayed trace.
#pragma once

#include <filesystem>
#include <string>

#include "report/profile.hpp"
#include "report/run_file.hpp"
#include "trace/retime.hpp"

namespace plait::report {

/// Writes a replay of a traced run as a run directory, which report, compare, export and replay
/// read like that of a run: its trace with the times of the replay, run.json, and recorded.json,
/// the profile of the run.
/// @param times    of the events in the replay
/// @param network  its name
/// @throws Error when `to` exists and is not an empty folder, when the run has no profile, or when
/// a
///         file cannot be written.
void write_replayed_run(const std::filesystem::path& run_dir, const trace::Trace& trace,
                        const trace::EventTimes& times, const std::string& network,
                        const std::filesystem::path& to);

/// The profile of such a directory: counts, bytes and places as recorded, times from its trace.
/// Times by partner, size, communicator and region are 0, because the replay does not have them.
/// @throws Error when recorded.json or the trace cannot be read.
Profile replayed_profile(const std::filesystem::path& run_dir, const RunFile& run);

}  // namespace plait::report
