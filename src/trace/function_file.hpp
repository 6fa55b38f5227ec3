// SPDX-License-Identifier: BSD-3-Clause
// Reads the calls and times of instrumented functions that a process left beside its record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "trace/rank_record.hpp"

namespace plait::trace {

/// A function on one thread.
struct FunctionCount {
  std::size_t function = 0;  ///< index into FunctionFile::functions
  std::uint64_t calls = 0;
  double inclusive_s = 0;  ///< of outermost calls
  double exclusive_s = 0;  ///< without the recorded functions that it calls
};

struct InstrumentedFunction {
  CodeAddress address;
  bool switched_off = false;  ///< too short and too frequent: later calls are not recorded
};

struct FunctionThread {
  int number = 0;  ///< 0: the first that called a recorded function
  std::vector<FunctionCount> counts;
};

struct FunctionFile {
  std::vector<InstrumentedFunction> functions;
  std::vector<FunctionThread> threads;  ///< by number
  std::uint64_t lost = 0;               ///< functions and threads for which there was no room
};

/// Reads the function file of a record's process.
/// @returns nothing when there is none: functions were not asked for
/// @throws Error when it is damaged or of another version.
std::optional<FunctionFile> read_function_file(const std::filesystem::path& record);

}  // namespace plait::trace
