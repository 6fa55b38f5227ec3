// SPDX-License-Identifier: BSD-3-Clause
// How the end of an export or import is told.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace plait::exports {

/// Prints what was written, notes, and the next step, on standard output.
/// @param done   "Exported" or "Imported"
/// @param trace  what was written
/// @param bytes  of all files; 0: not told
void tell(const char* done, const trace::Trace& trace, const std::filesystem::path& path,
          std::uint64_t bytes, const std::vector<std::string>& notes, const std::string& next);

}  // namespace plait::exports
