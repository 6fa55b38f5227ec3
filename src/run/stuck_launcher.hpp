// SPDX-License-Identifier: BSD-3-Clause
// Notices a launcher that hangs after the end of its processes.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace plait::run {

/// Watches a launcher that waits neither for its processes, all of which have ended, nor ends
/// itself: mpiexec of Open MPI 4.1 can lock itself in PMIx_server_finalize after MPI_Abort.
class StuckLauncher {
public:
  /// @param patience  how long the processes must have ended
  StuckLauncher(pid_t launcher, std::chrono::milliseconds patience)
      : launcher_(launcher), patience_(patience) {}

  /// Looks at the processes. Returns the exit code of the first one that failed, preferably not by
  /// a signal, or 0, if the launcher is stuck; otherwise nothing.
  std::optional<int> look();

private:
  pid_t launcher_;
  std::chrono::milliseconds patience_;
  std::optional<std::chrono::steady_clock::time_point> since_;
};

}  // namespace plait::run
