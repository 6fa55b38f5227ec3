// SPDX-License-Identifier: BSD-3-Clause
// Runs code that may crash, hang or use too much memory in a child process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace plait {

/// The outcome of work in a child process.
struct ChildOutcome {
  std::string text;  ///< what the work returned
  std::string
      error;  ///< empty: it returned; else why not: "crashed (SIGSEGV)", "took more than ..."
};

/// What a child process may use.
struct ChildLimits {
  std::uint64_t cpu_s = 10;
  std::uint64_t wall_s = 100;               ///< for work that waits
  std::uint64_t memory_bytes = 1ULL << 30;  ///< in addition to that of this process
};

/// Runs `work` in a copy of this process, which ends afterwards, and passes its result back. The
/// child's standard error is discarded.
/// @param work  must not use threads or locks of this process
/// @throws the Error or Failure that the work throws; Failure when there can be no child.
ChildOutcome run_in_child(const std::function<std::string()>& work, const ChildLimits& limits = {});

}  // namespace plait
