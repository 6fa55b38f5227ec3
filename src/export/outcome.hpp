// SPDX-License-Identifier: BSD-3-Clause
// Reports the result of an export or import.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/processes.hpp"
#include "export/selection.hpp"
#include "trace/trace.hpp"

namespace plait::exports {

/// The size of the selected part of a trace.
struct Counts {
  std::size_t ranks = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;
  std::size_t collectives = 0;  ///< with a selected rank's call in the window
};
/// @param processes  that have the other parts; null: the trace is whole. Collective among them
Counts counts_of(const trace::Trace& trace, const Selection& selection,
                 Processes* processes = nullptr);

/// @param processes  as in counts_of()
/// @throws Error with the trace's time span and ranks when a selection other than everything
///         contains no events and no messages; on all processes.
void require_something(const trace::Trace& trace, const Selection& selection, const Counts& counts,
                       Processes* processes = nullptr);

/// Prints what was written, notes, and the next step to standard output.
/// @param done      "Exported" or "Imported"
/// @param counts    of the written part
/// @param problems  of the trace; printed like notes
/// @param bytes     total size of the files; 0: not printed
/// @param next      how to continue; may be empty
void print_outcome(const char* done, const Counts& counts, const std::vector<std::string>& problems,
                   const std::filesystem::path& path, std::uint64_t bytes,
                   const std::vector<std::string>& notes, const std::string& next);

}  // namespace plait::exports
