// SPDX-License-Identifier: BSD-3-Clause
// plait run: runs a program and reports where its time went.
#include "run/run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>

#include "advise/plan_quarantine.hpp"
#include "advise/tuned_settings.hpp"
#include "base/quantity.hpp"
#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "cli/packed_trace.hpp"
#include "cli/run_options.hpp"
#include "plait/error.hpp"
#include "remap/mapper.hpp"
#include "report/analysis_lines.hpp"
#include "report/finish.hpp"
#include "report/map_lines.hpp"
#include "report/terminal.hpp"
#include "report/transport_lines.hpp"
#include "report/wait_lines.hpp"
#include "run/message_ways.hpp"
#include "text/progress.hpp"
#include "trace/container.hpp"
#include "trace/rank_selection.hpp"
#include "transport/queues.hpp"

namespace plait::cli {
namespace {

struct RunOptions {
  run::RunRequest request;
  std::string omp_runtime;
  std::string trace;
  std::string trace_limit;
  std::string trace_signal;
  std::string sample;
  std::string counters;
  std::string remap;  ///< interval; empty: ranks stay where they are
  std::string tuned;  ///< kStored, or a plan
  bool map = false;
  bool map_always = false;
  bool no_report = false;
  bool quiet = false;
};

report::FinishedRun finish_run(const std::filesystem::path& directory, bool quiet,
                               bool with_trace) {
  const Progress progress("analysing the run", quiet);
  return report::finish_run(directory, with_trace);
}

/// Reports a run that has ended. The exit code is the program's, so whatever fails here is a
/// warning.
void report_run(const std::filesystem::path& directory, bool quiet, bool with_trace) {
  try {
    const report::FinishedRun run = finish_run(directory, quiet, with_trace);
    for (const std::string& problem : run.problems) {
      fmt::print(stderr, "plait: warning: {}\n", problem);
    }
    if (quiet) return;
    report::TerminalOptions look = report::terminal_options(stderr);
    look.result = report::result_of(directory);
    look.traced = !run.trace.analysis.is_null();
    report::print_terminal(run.profile, stderr, look);
    if (!run.trace.analysis.is_null()) report::print_analysis(run.trace.analysis, stderr, look);
    for (const std::string& line : report::map_lines(report::read_map_decisions(directory))) {
      fmt::print(stderr, "{}\n", line);
    }
    for (const std::string& line : report::message_lines(directory)) {
      fmt::print(stderr, "{}\n", line);
    }
    if (!run.trace.problem.empty()) fmt::print(stderr, "plait: warning: {}\n", run.trace.problem);
    if (!run.page_left_out.empty()) fmt::print(stderr, "plait: {}\n", run.page_left_out);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: warning: no report: {}\n", error.what());
  }
}

/// Packs the trace of a run. That of an interrupted run stays as it was recorded, because whoever
/// interrupts a run wants it to end.
void keep_trace(const run::RunResult& result, bool quiet) {
  if (!result.interrupted_by) return pack_with_summary(result.directory, quiet);
  if (quiet) return;
  fmt::print(stderr, "plait: the trace was not analysed; plait report {} does so\n",
             shell_word(std::filesystem::proximate(result.directory).string()));
}

/// The report shows what was reordered; this warns if nothing was.
void warn_if_nothing_was_mapped(const run::RunRequest& request,
                                const std::filesystem::path& directory) {
  if (request.map == run::MapMode::none || !report::read_map_decisions(directory).empty()) {
    return;
  }
  fmt::print(
      stderr,
      "plait: nothing was mapped: the program created no MPI topology of several processes{}\n",
      request.map == run::MapMode::asked
          ? " with reorder=1 (--map-always includes those with reorder=0)"
          : "");
}

/// @throws Error when it is not a rate that timers can keep.
double sample_rate(const std::string& text) {
  constexpr double kLeastHz = 0.01, kMostHz = 10000;
  const double rate = parse_hertz(text);
  if (rate >= kLeastHz && rate <= kMostHz) return rate;
  throw Error(text, "not a rate of samples", "give 0.01Hz to 10kHz; 100Hz is usual");
}

/// The report shows how ranks waited; this warns if none did as requested.
void warn_if_waiting_was_not_changed(const run::RunRequest& request,
                                     const std::filesystem::path& directory) {
  if (request.wait.empty() || !report::read_waiting(directory).empty()) return;
  fmt::print(stderr,
             "plait: --wait changed nothing: the MPI library never gave its CPU away while a rank "
             "waited\n");
}

/// The report shows what became of the transport; this warns if the MPI library never looked at it.
void warn_if_transport_was_not_loaded(const run::RunRequest& request,
                                      const std::filesystem::path& directory) {
  if (request.transport.empty() || !report::read_transports(directory).empty()) return;
  fmt::print(stderr,
             "plait: --transport changed nothing: no rank has come to MPI_Init under a launcher "
             "that Plait knows; start the ranks with mpiexec or srun\n");
}

constexpr const char* kStored = "stored";

/// The plan of --tuned; nothing if there is nothing to set.
std::optional<launcher::Plan> tuned_plan(const std::string& given,
                                         const launcher::LaunchCommand& command) {
  if (given != kStored) return launcher::load_plan(given);
  const advise::TunedFor job = advise::job_of(command);
  const advise::TunedSettings found = advise::require_settings(job, advise::stored_settings());
  fmt::print(stderr, "plait: tuned for {} on {} ({})\n", advise::job_text(job), found.host,
             found.created);
  return found.plan;
}

/// Starts the program by a plan, and says what that sets.
void take_tuned(const std::string& given, run::RunRequest& request) {
  const launcher::LaunchCommand command = launcher::understand_command(request.command);
  request.plan = tuned_plan(given, command);
  if (!request.plan) {
    fmt::print(stderr, "plait: nothing is set: no setting was faster than the default\n");
    return;
  }
  const launcher::Plan& plan = *request.plan;
  advise::refuse_quarantined(plan, command.launcher);
  if (request.wait.empty()) request.wait = plan.wait;
  if (request.transport.empty()) request.transport = plan.transport;
  if (plan.reorder && request.map == run::MapMode::none) {
    request.map = plan.reorder_always ? run::MapMode::always : run::MapMode::asked;
  }
  for (const std::string& line : advise::settings_lines(plan)) {
    fmt::print(stderr, "plait: tuned: {}\n", line);
  }
}

/// The mapper of --remap, which looks at the ranks while they run.
std::shared_ptr<remap::Mapper> start_mapper(const std::string& interval, run::RunRequest& request) {
  auto mapper = std::make_shared<remap::Mapper>(request.machine, remap_interval(interval));
  request.watch = [mapper](const std::filesystem::path& records) {
    mapper->look(records);
    return false;
  };
  return mapper;
}

/// Writes what the mapper did. Within a launcher, only that of the first rank looks at the ranks.
void keep_remapping(const remap::Mapper& mapper, const std::filesystem::path& directory) {
  try {
    mapper.write(directory);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: warning: {}\n", error.what());
  }
}

/// @param option  "--trace-ranks"
/// @param what    it lists: "rank"
/// @throws Error when it is not a list of numbers, ranges and strides.
void require_selection(const std::string& option, const std::string& what,
                       const std::string& list) {
  if (list.empty() || trace::is_rank_selection(list.c_str())) return;
  throw Error(fmt::format("{} {}", option, list),
              list.size() > trace::kLongestRankSelection ? "too long"
                                                         : fmt::format("not a list of {}s", what),
              fmt::format("give {0}s, ranges and strides, such as 0-31,40,%64; %64 means every "
                          "64th {0}",
                          what));
}

/// @throws Error when it is not the name of a signal that a program may handle for this purpose.
int signal_of(const std::string& name) {
  static const std::map<std::string, int> known{
      {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"WINCH", SIGWINCH}, {"URG", SIGURG}};
  const auto signal = known.find(name.starts_with("SIG") ? name.substr(3) : name);
  if (signal != known.end()) return signal->second;
  throw Error("--trace-signal " + name, "not a signal that can switch a trace",
              "choose SIGUSR1, SIGUSR2, SIGURG or SIGWINCH, one that the program does not use");
}

int run(RunOptions& options) {
  options.request.counters = run::find_events(run::split_event_names(options.counters));
  options.request.llvm_openmp = options.omp_runtime == "llvm";
  if (!options.trace.empty()) {
    options.request.trace = options.trace == "ring" ? run::TraceMode::ring : run::TraceMode::full;
  }
  require_selection("--trace-ranks", "rank", options.request.trace_ranks);
  require_selection("--trace-iterations", "iteration", options.request.trace_iterations);
  if (!options.trace_signal.empty()) options.request.trace_signal = signal_of(options.trace_signal);
  if (!options.trace_limit.empty()) {
    options.request.trace_limit_bytes =
        static_cast<std::uint64_t>(std::ceil(parse_bytes(options.trace_limit)));
  }
  if (!options.sample.empty()) options.request.sample_hz = sample_rate(options.sample);
  if (options.map) options.request.map = run::MapMode::asked;
  if (options.map_always) options.request.map = run::MapMode::always;
  if (!options.tuned.empty()) take_tuned(options.tuned, options.request);
  std::shared_ptr<remap::Mapper> mapper;
  if (!options.remap.empty()) mapper = start_mapper(options.remap, options.request);
  const run::RunResult result = run::run(options.request);
  if (mapper) keep_remapping(*mapper, result.directory);
  if (!result.reports) return result.exit_code;
  if (options.request.trace != run::TraceMode::none) keep_trace(result, options.quiet);
  if (!result.interrupted_by) {
    for (const std::string& problem : trace::store_records(result.directory / "records")) {
      fmt::print(stderr, "plait: warning: {}\n", problem);
    }
  }
  if (options.no_report) {
    const std::string folder = std::filesystem::proximate(result.directory).string();
    if (!options.quiet) {
      fmt::print(stderr, "Run: {}\nNext: plait report {}\n", folder, shell_word(folder));
    }
    return result.exit_code;
  }
  report_run(result.directory, options.quiet, !result.interrupted_by);
  if (!options.quiet) {
    warn_if_nothing_was_mapped(options.request, result.directory);
    warn_if_waiting_was_not_changed(options.request, result.directory);
    warn_if_transport_was_not_loaded(options.request, result.directory);
  }
  return result.exit_code;
}

std::vector<std::string> transport_designs() {
  std::vector<std::string> names;
  for (const transport::Design& design : transport::designs()) names.emplace_back(design.name);
  return names;
}

}  // namespace

void add_run(Command& plait) {
  const auto options = std::make_shared<RunOptions>();
  Command& command =
      plait.add_command("run", "Run an MPI program and report where its time went", group::explain);
  run::RunRequest& request = options->request;
  add_run_options(command, request, "Run directory to write (default: plait-runs/APP-TIME)");
  add_machine_option(command, request.machine, "Machine file to compare with")
      .defaults_to("the one that plait measure wrote for this node");
  command.flag("--no-report", options->no_report, "Keep the records, but do not build a report");
  command.flag("-q,--quiet", options->quiet, "Print nothing, only write the report");

  command.heading("Tracing");
  command
      .option("--trace", "WHICH", options->trace,
              "Record every event (full), or only the last events (ring); --trace alone means full")
      .choices({"full", "ring"})
      .or_without_value("full");
  command.option("--trace-limit", "SIZE", options->trace_limit,
                 "Limit on the trace of each process (default: 2GiB; with ring 64MiB)");
  command
      .option(
          "--trace-ranks", "RANKS", request.trace_ranks,
          "Trace only these ranks of MPI_COMM_WORLD, such as 0-31,%64; %64 means every 64th rank "
          "(default: all)")
      .needs("--trace");
  command
      .option("--trace-region", "NAME", request.trace_region,
              "Trace only the user region of this name; or, for the name of an MPI function, from "
              "its first call on (default: everything)")
      .needs("--trace");
  command
      .option("--trace-iterations", "LIST", request.trace_iterations,
              "Trace only these entries of the region, or calls of the function, with what follows "
              "each call up to the next one, such as 100-120,%1000 (default: all)")
      .needs("--trace-region");
  command
      .option("--trace-signal", "SIGNAL", options->trace_signal,
              "Trace only between two of these signals, such as SIGUSR2, that each rank gets "
              "(default: from MPI_Init on)")
      .needs("--trace");
  command
      .option("--spool", "FOLDER", request.spool,
              "Fast local folder for records while the program runs, such as /dev/shm")
      .completes(Complete::folder);

  command.heading("Sampling");
  command
      .option("--sample", "RATE", options->sample,
              "Sample the call stacks of all threads, at this rate for each thread; --sample alone "
              "means 100Hz")
      .or_without_value("100Hz");
  command
      .option("--sample-clock", "CLOCK", request.sample_clock,
              "Sample CPU time (cpu, the default), CPU time by timers of the kernel even where "
              "perf's clock is permitted (timer), or all time, also that of waiting (wall)")
      .choices({"cpu", "timer", "wall"})
      .needs("--sample");
  command.heading("Instrumentation");
  command.option("--functions", "PATTERN", request.functions,
                 "Record the calls of these functions, such as 'assemble,Mesh::*,!Mesh::size'; "
                 "compile them with -finstrument-functions");
  command.heading("Computation, memory and files");
  command.option("--counters", "NAME,...", options->counters,
                 "Count events of each thread, such as cycles,instructions or page-faults, by user "
                 "region, with --trace by phase, and inside and outside of MPI; help: list the "
                 "events");

  command.flag("--io", request.io, "Record calls for files: bytes, calls and time of each file");

  command.flag("--memory", request.memory,
               "Record allocations: how many, how much is in use, and the most at once");

  command.heading("Changing the run");
  command.flag("--map", options->map,
               "Reorder the ranks of MPI topologies that the program creates with reorder=1");
  command.flag("--map-always", options->map_always,
               "Reorder the ranks of all MPI topologies, also with reorder=0");
  command
      .option("--wait", "POLICY", request.wait,
              "How ranks wait for messages: spin, pause, yield, sleep, or automatic, which sleeps "
              "when other programs use the cores")
      .choices(run::wait_policies());
  command
      .option("--transport", "DESIGN", request.transport,
              "Pass messages between ranks on one node through queues of Plait: auto, sm, "
              "sm-counted, orq, orq-lock or cor; --transport alone means auto")
      .choices(transport_designs())
      .or_without_value("auto");
  command
      .option("--remap", "INTERVAL", options->remap,
              "Move ranks to other cores of their node while they run, where that is predicted to "
              "pay within an interval; --remap alone means 2s")
      .or_without_value("2s");
  command
      .option("--tuned", "PLAN", options->tuned,
              "Start the program by a plan of plait tune; --tuned alone means what plait tune "
              "--platform has stored for this machine, MPI library and number of ranks")
      .or_without_value(kStored)
      .completes(Complete::file);
  command
      .option("--omp-runtime", "RUNTIME", options->omp_runtime,
              "Replace the OpenMP runtime with one that Plait can observe: llvm")
      .choices({"llvm"});
  command.example("plait run -- mpiexec -n 4 ./app");
  command.example("plait run --trace -- mpiexec -n 4 ./app");
  command.example("plait run --sample -- mpiexec -n 4 ./app");
  command.example("plait run --functions 'solve,Mesh::*' -- mpiexec -n 4 ./app");
  command.example("plait run --tuned -- mpiexec -n 4 ./app");
  command.example("mpiexec -n 4 plait run ./app");
  command.action([&command, options] {
    if (options->counters == "help") {
      fmt::print("{}", run::event_list_text());
      return 0;
    }
    require_program(command);
    options->request.typed = command.typed;
    return run(*options);
  });
}

}  // namespace plait::cli
