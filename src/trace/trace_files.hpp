// SPDX-License-Identifier: BSD-3-Clause
// Finds the files of a run's trace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plait::trace {

/// What to do when one of them is damaged.
inline constexpr const char* kRecordAgain =
    "run the program again under plait run --trace, or import its trace again";

struct TraceFiles {
  bool packed = false;
  std::vector<std::filesystem::path> files;  ///< sorted by name; empty: no trace
  std::vector<std::string> problems;         ///< containers that cannot be read
};

/// RUN/records/*.evt, also in containers, sorted by name; empty when there are none.
std::vector<std::filesystem::path> raw_event_files(const std::filesystem::path& run_dir);

/// RUN/trace/*.ptrace or, if the trace was not packed, the raw event files.
TraceFiles find_trace_files(const std::filesystem::path& run_dir);

}  // namespace plait::trace
