// SPDX-License-Identifier: BSD-3-Clause
// Runs a command line under Plait and writes a run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "run/counter_events.hpp"

namespace plait::run {

/// Which events a trace keeps; see plait_trace_mode.
enum class TraceMode { none, full, ring };

/// Which topologies the mapper reorders.
enum class MapMode {
  none,
  asked,   ///< those for which the program passes reorder = 1
  always,  ///< all, though the program passes reorder = 0
};

struct RunRequest {
  std::vector<std::string> command;
  std::vector<std::string> typed{"plait", "run"};  ///< the user's command line up to `command`
  std::filesystem::path output;  ///< the run's folder; empty: plait-runs/NAME-TIME
  std::string machine;  ///< as machine::open_machine takes it; empty: the one measured here
  std::optional<double> time_limit_s;
  std::filesystem::path spool;  ///< fast local folder for records while the program runs
  std::string mpi;  ///< "openmpi", "mpich" or "abi": the preload object; empty: determine it
  bool llvm_openmp = false;     ///< LLVM's OpenMP runtime in place of the program's own
  bool placement_only = false;  ///< record only where ranks and threads may run
  TraceMode trace = TraceMode::none;
  std::string functions;                ///< patterns of instrumented functions; empty: none
  std::string trace_region;             ///< user region or MPI function to trace; empty: all
  std::string trace_iterations;         ///< of it, as "100-120,%1000", from 1; empty: all
  int trace_signal = 0;                 ///< switches the trace on and off; 0: none
  std::string trace_ranks;              ///< that keep a trace, as "0-31,%64"; empty: all
  std::uint64_t trace_limit_bytes = 0;  ///< of raw events per process; 0: the default
  double sample_hz = 0;                 ///< samples of each thread per second of its clock; 0: none
  std::string sample_clock;             ///< of samples: cpu, timer, wall; empty: cpu
  MapMode map = MapMode::none;
  bool show_stdout = true;             ///< pass the program's standard output on
  bool keep_environment = false;       ///< in run.json: all variables, and secrets too
  bool check = false;                  ///< record what plait check needs
  bool check_buffers = false;          ///< also record checksums of buffers in use by MPI
  std::vector<CounterEvent> counters;  ///< to count for each thread
  bool io = false;                     ///< record calls for files
  bool memory = false;                 ///< record allocations
  std::string wait;  ///< how ranks wait for messages: spin, pause, yield, sleep, automatic; empty:
                     ///< as their MPI library does
  std::string transport;  ///< queue design of Plait's transport; empty: the MPI library's own
  /// By which the job is started. `map`, `wait` and `transport` are those above, not those of the
  /// plan. Its files are written into the run directory.
  std::optional<launcher::Plan> plan;
  /// Called a few times per second with the folder of the records while the program runs (within a
  /// launcher only on its first rank); true ends the program.
  std::function<bool(const std::filesystem::path& records)> watch;
};

struct RunResult {
  std::filesystem::path directory;
  /// The exit code of Plait: that of the program, 128 + signal, 124 after the time limit, or 130 if
  /// ^C ended a launcher.
  int exit_code = 0;
  bool timed_out = false;       ///< ended by the time limit
  bool ended_by_watch = false;  ///< see RunRequest::watch
  /// True if this process reports the run. Within a launcher only that of the last rank does.
  bool reports = true;
  std::optional<int> interrupted_by;  ///< ProcessEnd::interrupted_by
};

/// Exit code of a run that its time limit ended, as for timeout(1).
inline constexpr int kTimeLimitExit = 124;

/// Runs a command: outside a launcher the whole job; within one (`mpiexec -n 4 plait run app`) this
/// rank, and all ranks share one run directory. Warnings go to standard error.
/// @throws Error before it starts anything: no program, a static or unknown MPI, no space, a plan
///         that does not fit.
RunResult run(const RunRequest& request);

}  // namespace plait::run
