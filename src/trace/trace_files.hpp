// SPDX-License-Identifier: BSD-3-Clause
// Where the files of a run's trace lie.
#pragma once

#include <filesystem>
#include <vector>

namespace plait::trace {

/// What to do when one of them is damaged.
inline constexpr const char* kRecordAgain =
    "run the program again under plait run --trace, or import its trace again";

struct TraceFiles {
  bool packed = false;
  std::vector<std::filesystem::path> files;  ///< by name; empty: no trace
};

/// RUN/trace/*.ptrace, or, when it was not packed, RUN/records/*.evt.
TraceFiles find_trace_files(const std::filesystem::path& run_dir);

}  // namespace plait::trace
