// SPDX-License-Identifier: BSD-3-Clause
// Findings on memory and files.
#pragma once

#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// A rank with much more memory than the others, memory near its limit, memory that grows; small
/// writes, a file that several ranks write, and time spent on opening and examining files.
std::vector<Finding> resource_findings(const Profile& profile);

}  // namespace plait::report
