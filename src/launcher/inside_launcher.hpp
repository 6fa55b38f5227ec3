// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a launcher started this process as a rank of a job, and as which rank.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "launcher/launcher.hpp"

namespace plait::launcher {

/// A rank of a running job.
struct JobRank {
  int rank = 0;
  int size = 0;       ///< 0: the launcher does not say
  std::string key;    ///< the same on all ranks of a job, and different in each job; empty: unknown
  Launcher launcher;  ///< kind and, if the environment has it, version
};

/// Reads the environment variables that launchers set for ranks.
/// @param value  the value of an environment variable, empty when unset (tests give their own)
/// @returns nothing outside a launcher; a batch script is outside, even if the batch system set
///          the variables of a rank for it
std::optional<JobRank> inside_launcher(const std::function<std::string(const std::string&)>& value);

/// Reads the environment of this process.
std::optional<JobRank> inside_launcher();

}  // namespace plait::launcher
