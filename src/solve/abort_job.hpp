// SPDX-License-Identifier: BSD-3-Clause
// Ends the job after an error on one rank.
#pragma once

namespace plait::solve {

/// Prints a line to standard error, waits 200 ms so that the launcher can forward it, and ends all
/// ranks with MPI_Abort(). Local; MPI must be initialized. Without the pause the line may be lost:
/// a launcher that ends its processes drops unread output (MPICH's Hydra in one of thirty aborts).
void abort_job(const char* line, int exit_code) noexcept;

}  // namespace plait::solve
