// SPDX-License-Identifier: BSD-3-Clause
// Packs the raw event files of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "trace/event_source.hpp"

namespace plait::trace {

struct PackResult {
  std::uint64_t files = 0;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;      ///< of the packed files
  std::uint64_t raw_bytes = 0;  ///< of the raw ones as they lie there, perhaps compressed
  std::uint64_t lost_events = 0, overwritten_events = 0;
  double overhead_ns_per_event = 0;  ///< largest of all processes
  double clock_error_s = 0;          ///< see Trace
  std::size_t hosts = 0;
  std::vector<std::string> problems;  ///< sentences
};

/// Packs the events of one process into a file.
/// @returns the size of the file in bytes
/// @throws Error when the file cannot be written
std::uint64_t pack_events(EventSource& from, const std::filesystem::path& to);

/// Packs RUN/records/*.evt into RUN/trace/RANK.ptrace and deletes the raw files that were packed.
/// Files that cannot be read are kept and named in `problems`. Does nothing without raw files.
/// @param progress  called with the number of files done and of all files
/// @throws Error when a packed file cannot be written; all raw files are then kept
PackResult pack_trace(const std::filesystem::path& run_dir,
                      const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace plait::trace
