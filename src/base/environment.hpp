// SPDX-License-Identifier: BSD-3-Clause
// The environment variables and the host name of this process.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plait {

/// Names and values of environment variables.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// The value of a variable of this process; empty when unset.
std::string environment_value(const std::string& name);

/// The name of this node, as gethostname(2) gives it.
std::string host_name();

/// A value of LD_PRELOAD: `entries` appended to `before` with ":", without duplicates.
std::string extended_preload(const std::string& before, const std::vector<std::string>& entries);

}  // namespace plait
