// SPDX-License-Identifier: BSD-3-Clause
// What each process saw by itself: leaks, calls at the wrong time or by the wrong thread, buffers.
#pragma once

#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

/// Leaks are told of processes that came to MPI_Finalize; it may be a leak that ends them there.
std::vector<Finding> process_findings(const Job& job);

}  // namespace plait::check
