// SPDX-License-Identifier: BSD-3-Clause
// plait run: runs a program under Plait and reports where its time went.
#include "launch/run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/long_work.hpp"
#include "base/quantity.hpp"
#include "cli/commands.hpp"
#include "cli/packed_trace.hpp"
#include "cli/program_command.hpp"
#include "plait/error.hpp"
#include "report/analysis_lines.hpp"
#include "report/finish.hpp"
#include "report/map_lines.hpp"
#include "report/terminal.hpp"

namespace plait::cli {
namespace {

struct RunOptions {
  launch::RunRequest request;
  std::string omp_runtime;
  double time_limit_s = 0;
  std::string trace;
  std::string trace_limit;
  bool map = false;
  bool map_always = false;
  bool no_report = false;
  bool quiet = false;
  std::string unused;
};

report::Profile finish_run(const std::filesystem::path& directory, bool quiet,
                           std::string& page_left_out, report::TraceParts& trace) {
  const LongWork work("analysing the run", quiet);
  return report::finish_run(directory, &page_left_out, &trace);
}

/// The report of a run that has ended. A program that failed keeps its exit code when there can be
/// no report.
void report_run(const std::filesystem::path& directory, bool quiet, int exit_code) {
  try {
    std::string page_left_out;
    report::TraceParts trace;
    const report::Profile profile = finish_run(directory, quiet, page_left_out, trace);
    if (quiet) return;
    report::TerminalOptions look = report::terminal_options(stderr);
    look.result = report::result_of(directory);
    look.traced = !trace.analysis.is_null();
    report::print_terminal(profile, stderr, look);
    if (!trace.analysis.is_null()) report::print_analysis(trace.analysis, stderr, look);
    for (const std::string& line : report::map_lines(report::read_map_decisions(directory))) {
      fmt::print(stderr, "{}\n", line);
    }
    if (!trace.problem.empty()) fmt::print(stderr, "plait: warning: {}\n", trace.problem);
    if (!page_left_out.empty()) fmt::print(stderr, "plait: {}\n", page_left_out);
  } catch (const Error& error) {
    if (exit_code == 0) throw;
    fmt::print(stderr, "plait: warning: no report: {}\n", error.what());
  }
}

/// Says when there was nothing to reorder; what was is in the report.
void tell_of_mapping(const launch::RunRequest& request, const std::filesystem::path& directory) {
  if (request.map == launch::MapMode::none || !report::read_map_decisions(directory).empty()) {
    return;
  }
  fmt::print(stderr,
             "plait: nothing was mapped: no communicator of several processes was made as "
             "a topology{}\n",
             request.map == launch::MapMode::asked
                 ? " with reorder=1 (--map-always also takes those with reorder=0)"
                 : "");
}

void run(RunOptions& options, int& exit_code) {
  if (options.time_limit_s > 0) options.request.time_limit_s = options.time_limit_s;
  options.request.llvm_openmp = options.omp_runtime == "llvm";
  if (!options.trace.empty()) {
    options.request.trace =
        options.trace == "ring" ? launch::TraceMode::ring : launch::TraceMode::full;
  }
  if (!options.trace_limit.empty()) {
    options.request.trace_limit_bytes =
        static_cast<std::uint64_t>(std::ceil(parse_bytes(options.trace_limit)));
  }
  if (options.map) options.request.map = launch::MapMode::asked;
  if (options.map_always) options.request.map = launch::MapMode::always;
  const launch::RunResult result = launch::run(options.request);
  exit_code = result.exit_code;
  if (!result.reports) return;
  if (options.request.trace != launch::TraceMode::none) {
    pack_and_tell(result.directory, options.quiet);
  }
  if (options.no_report) {
    const std::string folder = std::filesystem::proximate(result.directory).string();
    if (!options.quiet) fmt::print(stderr, "Run: {}\nNext: plait report {}\n", folder, folder);
    return;
  }
  report_run(result.directory, options.quiet, exit_code);
  if (!options.quiet) tell_of_mapping(options.request, result.directory);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Run an MPI program and report where its time went");
  command->footer(
      "plait run [options] -- mpiexec -n 4 ./app ...\n"
      "mpiexec -n 4 plait run [options] ./app ...");
  launch::RunRequest& request = options->request;
  command->add_option("-o,--output", request.output, "Folder of the run [plait-runs/APP-TIME]");
  command->add_option("-m,--machine", request.machine,
                      "Machine to compare with [what plait measure stored of this node]");
  command
      ->add_option("--mpi", request.mpi,
                   "MPI of the program, where it does not tell itself (Python, scripts)")
      ->check(CLI::IsMember({"openmpi", "mpich", "abi"}));
  command
      ->add_flag("--trace{full}", options->trace,
                 "Keep every event, too: --trace, or --trace=ring for the last ones only")
      ->check(CLI::IsMember({"full", "ring"}));
  command->add_option("--trace-limit", options->trace_limit,
                      "Events that a process may write [2GiB; ring: 64MiB]");
  command->add_flag("--map", options->map,
                    "Make MPI's topologies with reorder=1 really reorder their ranks");
  command->add_flag("--map-always", options->map_always,
                    "The same, also where the program passes reorder=0");
  command->add_option("--time-limit", options->time_limit_s, "End the run after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_option("--spool", request.spool,
                      "Fast local folder for records while the program runs, as /dev/shm");
  command
      ->add_option("--omp-runtime", options->omp_runtime,
                   "llvm: put LLVM's OpenMP runtime, which can be looked into, in place of the "
                   "program's own")
      ->check(CLI::IsMember({"llvm"}));
  command->add_flag("--no-report", options->no_report, "Keep the records, build no profile");
  command->add_flag("-q,--quiet", options->quiet, "Write the profile, print nothing");
  takes_program_command(command, options->unused);
  command->callback([command, options, &exit_code] {
    options->request.command = program_command(command);
    run(*options, exit_code);
  });
}

}  // namespace plait::cli
