// SPDX-License-Identifier: BSD-3-Clause
// How the end of an export or import is told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "export/selection.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

/// What a selection holds of a trace.
struct Counts {
  std::size_t ranks = 0;
  std::uint64_t events = 0;
  std::size_t messages = 0;
  std::size_t collectives = 0;  ///< in which a selected rank's call reaches into the window
};
Counts counts_of(const trace::Trace& trace, const Selection& selection);

/// @throws Error, which names the trace's span and ranks, when a selection that is not everything
/// holds no events and no messages.
void require_something(const trace::Trace& trace, const Selection& selection, const Counts& counts);

/// Prints what was written, notes, and the next step, on standard output.
/// @param done      "Exported" or "Imported"
/// @param counts    of what was written
/// @param problems  of the trace that was read; told as the notes are
/// @param bytes     of all files; 0: not told
void tell(const char* done, const Counts& counts, const std::vector<std::string>& problems,
          const std::filesystem::path& path, std::uint64_t bytes,
          const std::vector<std::string>& notes, const std::string& next);

}  // namespace plait::exports
