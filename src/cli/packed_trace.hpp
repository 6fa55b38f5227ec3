// SPDX-License-Identifier: BSD-3-Clause
// Packs the trace of a run, and reads it.
#pragma once

#include <filesystem>

#include "base/processes.hpp"
#include "trace/trace.hpp"

namespace plait::cli {

/// Packs the events of a run directory. Prints progress, then size, bytes per event, overhead and
/// clocks to standard error, and warns of lost events; `quiet`: only the warnings. A trace that
/// cannot be packed is a warning: it is read as it was recorded.
void pack_with_summary(const std::filesystem::path& run_dir, bool quiet);

/// A run's trace; process 0 says so on a terminal when it takes long.
/// @param processes  see trace::read_trace; collective among them
/// @throws Error as trace::read_trace does.
trace::Trace read_trace(const std::filesystem::path& run, Processes* processes = nullptr);

}  // namespace plait::cli
