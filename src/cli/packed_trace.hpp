// SPDX-License-Identifier: BSD-3-Clause
// After a traced run: its events are packed, and the user is told what they take.
#pragma once

#include <filesystem>

namespace plait::cli {

/// Packs the events of a run directory. Says on standard error how it goes on, and then size,
/// bytes an event, overhead, clocks and what was lost; `quiet`: only the latter. A trace that
/// cannot be packed is a warning: it is read as it was recorded.
void pack_and_tell(const std::filesystem::path& run_dir, bool quiet);

}  // namespace plait::cli
