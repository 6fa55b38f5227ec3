// SPDX-License-Identifier: BSD-3-Clause
// Whether this process is one rank of a job that a launcher has started, and which.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "launch/launcher.hpp"

namespace plait::launch {

/// This process' place in a running job.
struct JobRank {
  int rank = 0;
  int size = 0;       ///< 0: the launcher does not say
  std::string key;    ///< the same on all ranks, another in each job; empty: none is known
  Launcher launcher;  ///< kind and, where the environment tells it, version
};

/// Reads the environment that launchers leave to ranks.
/// @param value  the value of an environment variable, empty when unset (tests give their own)
/// @returns nothing outside a launcher; a batch script is outside, even where the batch system
///          already set a rank's variables
std::optional<JobRank> inside_launcher(const std::function<std::string(const std::string&)>& value);

/// With this process' environment.
std::optional<JobRank> inside_launcher();

}  // namespace plait::launch
