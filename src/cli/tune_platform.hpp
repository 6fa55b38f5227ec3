// SPDX-License-Identifier: BSD-3-Clause
// plait tune --platform: finds settings for a machine without a program, and stores them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace plait::cli {

struct PlatformOptions {
  bool wanted = false;
  std::string mpi;
  std::vector<std::string> nodes;
  std::vector<int> ranks_per_node;  ///< empty: one per core
};

/// The options of plait tune that only --platform takes.
void add_platform_options(Command& command, PlatformOptions& options);

/// Tunes, and stores the result.
/// @param output  folder for the runs; empty: the default
/// @return the exit code: 0 if settings were stored, 1 if nothing was faster
int tune_platform(const PlatformOptions& options, const std::string& output,
                  std::optional<double> budget_s, bool as_json);

}  // namespace plait::cli
