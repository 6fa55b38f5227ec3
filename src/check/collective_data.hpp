// SPDX-License-Identifier: BSD-3-Clause
// Compares types and counts of one collective call across its members. MPI-4.1, chapter 6, requires
// equal signatures, not equal counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// The first difference between members; nothing when they agree.
/// @param name  as returned by plain_name
/// @param call  one operation per member that made the call, all of that name and the same root, on
///              an intracommunicator
std::optional<Finding> compare_data(const Job& job, const std::string& name,
                                    const std::vector<OpRef>& call);

}  // namespace plait::check
