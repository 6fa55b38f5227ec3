// SPDX-License-Identifier: BSD-3-Clause
// Writes the trace of a run with other times, such as those of a replay.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace plait::trace {

/// By rank and event of its main thread: begin and end, ns on the trace's clock; negative: unknown.
using EventTimes = std::vector<std::vector<std::pair<double, double>>>;

/// Writes RUN's trace as packed files into `folder`, which it creates. Events of the main threads
/// get the given times. What lies between them, and the events of other threads, are moved and
/// stretched in proportion. Waiting for a CPU and pauses of the recording are left out.
/// @param trace  of the run, as read_trace returns it; whole
/// @throws Error when a file cannot be read or written.
void write_retimed(const std::filesystem::path& run_dir, const Trace& trace,
                   const EventTimes& times, const std::filesystem::path& folder);

}  // namespace plait::trace
