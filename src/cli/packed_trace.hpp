// SPDX-License-Identifier: BSD-3-Clause
// The trace of a run: packed after it, with what it takes; read again.
#pragma once

#include <filesystem>

#include "trace/trace.hpp"

namespace plait::cli {

/// Packs the events of a run directory. Says on standard error how it goes on, and then size,
/// bytes an event, overhead, clocks and what was lost; `quiet`: only the latter. A trace that
/// cannot be packed is a warning: it is read as it was recorded.
void pack_and_tell(const std::filesystem::path& run_dir, bool quiet);

/// A run's trace; says so on a terminal when it takes long.
/// @throws Error as trace::read_trace does.
trace::Trace read_trace(const std::filesystem::path& run);

}  // namespace plait::cli
