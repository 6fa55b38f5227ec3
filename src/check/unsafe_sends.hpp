// SPDX-License-Identifier: BSD-3-Clause
// Finds sends that end only because MPI buffers their messages.
#pragma once

#include <vector>

#include "check/collectives.hpp"
#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// Cycles of ranks that would wait for each other if each standard send waited for its receive, as
/// MPI allows (MPI-4.1, section 3.5); one for each set of calls. Says nothing where the run does
/// not show that no message could have ended a wait. Linear in the operations.
/// @param job  has ended
std::vector<Finding> unsafe_sends(const Job& job, const Messages& messages,
                                  const Collectives& collectives);

}  // namespace plait::check
