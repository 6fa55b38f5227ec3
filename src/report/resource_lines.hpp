// SPDX-License-Identifier: BSD-3-Clause
// What a run used besides time, on a terminal: counters, memory and files.
#pragma once

#include "report/terminal_parts.hpp"

namespace plait::report {

/// A sentence, and a table of the events of each user region; empty without counters.
Lines counter_lines(const Profile& profile, const TerminalOptions& options);

/// Energy of the nodes; empty if it could not be read, or without counters.
Lines energy_lines(const Profile& profile, const TerminalOptions& options);

/// CPU time and memory of a rank, as ranges over all ranks; empty if memory was not recorded.
Lines usage_lines(const Profile& profile, const TerminalOptions& options);

/// The memory of the ranks with most of it; empty unless allocations were recorded.
Lines memory_lines(const Profile& profile, const TerminalOptions& options);

/// The files with most time; empty unless calls for files were recorded.
Lines io_lines(const Profile& profile, const TerminalOptions& options);

}  // namespace plait::report
