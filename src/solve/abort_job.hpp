// SPDX-License-Identifier: BSD-3-Clause
// Ends a job for an error that only one rank has.
#pragma once

namespace plait::solve {

/// Prints a line on standard error, waits until the launcher has had time to pass it on, and ends
/// all ranks by MPI_Abort(). Local; MPI must run. A launcher that ends its processes drops what it
/// has not read yet (MPICH's Hydra did in one of thirty aborts).
void abort_job(const char* line, int exit_code) noexcept;

}  // namespace plait::solve
