// SPDX-License-Identifier: BSD-3-Clause
// Compares types and counts of one collective call across its members, as MPI-4.1, chapter 6,
// demands of each: equal signatures, not equal counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// `name` as plain_name gives it; `call`: an operation of each member that came, all of that name
/// and of one root, on an intracommunicator. Nothing when they agree.
std::optional<Finding> compare_data(const Job& job, const std::string& name,
                                    const std::vector<OpRef>& call);

}  // namespace plait::check
