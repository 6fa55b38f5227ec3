// SPDX-License-Identifier: BSD-3-Clause
// Finds the files of a run's trace.
#include "trace/trace_files.hpp"

#include <algorithm>
#include <system_error>

namespace plait::trace {

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const char* extension) {
  std::vector<std::filesystem::path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<std::filesystem::path> raw_event_files(const std::filesystem::path& run_dir) {
  return files_of(run_dir / "records", ".evt");
}

TraceFiles find_trace_files(const std::filesystem::path& run_dir) {
  // Packing renames its folder to "trace" when it is complete, and then deletes the raw files.
  TraceFiles packed{true, files_of(run_dir / "trace", ".ptrace")};
  if (!packed.files.empty()) {
    return packed;
  }
  return {false, raw_event_files(run_dir)};
}

}  // namespace plait::trace
