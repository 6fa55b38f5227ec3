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
  std::uint64_t raw_bytes = 0;  ///< of the raw ones
  std::uint64_t lost_events = 0, overwritten_events = 0;
  double overhead_ns_per_event = 0;  ///< the largest of the processes'
  double clock_error_s = 0;          ///< see Trace
  std::size_t hosts = 0;
  std::vector<std::string> problems;  ///< one sentence each
};

/// Writes one packed file.
/// @returns its size in bytes
/// @throws Error when the file cannot be written
std::uint64_t pack_events(EventSource& from, const std::filesystem::path& to);

/// Packs RUN/records/*.evt into RUN/trace/RANK.ptrace, and deletes the raw files that were packed.
/// Those that cannot be read stay, and are told. Without raw files it does nothing.
/// @param progress  called with the files done and all files
/// @throws Error when a packed file cannot be written: then all raw files stay
PackResult pack_trace(const std::filesystem::path& run_dir,
                      const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace plait::trace
