// SPDX-License-Identifier: BSD-3-Clause
// Runs a command line under Plait: from the choice of the preload object to a run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace plait::launch {

/// Which events are kept; see plait_trace_mode.
enum class TraceMode { none, full, ring };

/// Which topologies the mapper reorders.
enum class MapMode {
  none,
  asked,   ///< those for which the program passes reorder = 1
  always,  ///< all, though the program passes reorder = 0
};

struct RunRequest {
  std::vector<std::string> command;
  std::filesystem::path output;  ///< the run's folder; empty: plait-runs/NAME-TIME
  std::string machine;  ///< as machine::open_machine takes it; empty: the one measured here
  std::optional<double> time_limit_s;
  std::filesystem::path spool;  ///< fast local folder for records while the program runs
  std::string mpi;  ///< "openmpi", "mpich" or "abi": choose the preload object; empty: look
  bool llvm_openmp = false;     ///< LLVM's OpenMP runtime in place of the program's own
  bool placement_only = false;  ///< record only where ranks and threads may run
  TraceMode trace = TraceMode::none;
  std::uint64_t trace_limit_bytes = 0;  ///< of each process' raw events; 0: the default
  MapMode map = MapMode::none;
  bool show_stdout = true;     ///< pass the program's standard output on
  bool check = false;          ///< record what plait check judges
  bool check_buffers = false;  ///< and checksums of buffers in flight
  /// Called a few times a second with the folder of the records while the program runs, within a
  /// launcher by its first rank; true ends the program.
  std::function<bool(const std::filesystem::path& records)> watch;
};

struct RunResult {
  std::filesystem::path directory;
  /// What to end with: the program's exit code, 128 + signal, or 124 after the time limit.
  int exit_code = 0;
  bool timed_out = false;       ///< ended by the time limit
  bool ended_by_watch = false;  ///< see RunRequest::watch
  /// The run is over and this process is the one to report it. Within a launcher only the last
  /// rank's is.
  bool reports = true;
  std::optional<int> interrupted_by;  ///< ProcessEnd::interrupted_by
};

/// Exit code of a run that its time limit ended, as timeout(1) has it.
inline constexpr int kTimeLimitExit = 124;

/// Runs a command. Outside a launcher, that is the whole job; within one (`mpiexec -n 4 plait run
/// app`) it is this rank, and all ranks share one run directory.
/// Warnings go to standard error.
/// @throws Error before anything is started: no program, a static or unknown MPI, no room.
RunResult run(const RunRequest& request);

}  // namespace plait::launch
