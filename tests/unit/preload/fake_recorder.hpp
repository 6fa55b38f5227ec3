// SPDX-License-Identifier: BSD-3-Clause
// A record in memory in place of the mapped file, for tests of the preload's parts.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "preload/recorder.hpp"

namespace plait::preload::test {

/// Begins an empty record, and forgets what was noted.
void begin_record();

/// The published entries of a table.
template <class Entry>
std::vector<Entry> entries(plait_section section) {
  const auto& header = record->sections[section];
  const auto* first =
      reinterpret_cast<const Entry*>(reinterpret_cast<const char*>(record) + header.offset);
  return {first, first + header.count};
}

std::string string_at(uint32_t offset);

extern std::vector<std::string> notes;
extern uint64_t mpi_ticks;       ///< what thread_mpi_ticks() says
extern std::atomic<int> placed;  ///< calls of placement_after_parallel
/// How long the calling thread waited for a CPU since this was last read.
extern thread_local uint64_t waited_ticks;

}  // namespace plait::preload::test
