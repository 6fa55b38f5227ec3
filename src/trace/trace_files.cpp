// SPDX-License-Identifier: BSD-3-Clause
// Finds the files of a run's trace.
#include "trace/trace_files.hpp"

#include "trace/container.hpp"

namespace plait::trace {

std::vector<std::filesystem::path> raw_event_files(const std::filesystem::path& run_dir) {
  return list_record_files(run_dir / "records", ".evt", nullptr);
}

TraceFiles find_trace_files(const std::filesystem::path& run_dir) {
  // Packing renames its folder to "trace" when it is complete, and then deletes the raw files.
  TraceFiles packed{true, list_record_files(run_dir / "trace", ".ptrace", nullptr), {}};
  if (!packed.files.empty()) {
    return packed;
  }
  TraceFiles raw;
  raw.files = list_record_files(run_dir / "records", ".evt", &raw.problems);
  return raw;
}

}  // namespace plait::trace
