// SPDX-License-Identifier: BSD-3-Clause
// Findings within one process: leaks, calls at the wrong time or by the wrong thread, buffers.
#pragma once

#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"

namespace plait::check {

/// Findings of all processes. Leaks are reported only for processes that reached MPI_Finalize, even
/// if they did not return from it: a leak may be why.
std::vector<Finding> process_findings(const Job& job);

}  // namespace plait::check
