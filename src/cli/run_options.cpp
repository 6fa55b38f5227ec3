// SPDX-License-Identifier: BSD-3-Clause
// Options and arguments that several commands share.
#include "cli/run_options.hpp"

#include "base/quantity.hpp"
#include "plait/error.hpp"
#include "remap/mapper.hpp"
#include "report/finish.hpp"

namespace plait::cli {

void add_run_options(Command& command, run::RunRequest& request, const std::string& output_help) {
  command.option("-o,--output", "FOLDER", request.output, output_help).completes(Complete::folder);
  command
      .option("--mpi", "MPI", request.mpi,
              "MPI of the program, if it is not detected (Python, scripts): openmpi, mpich or abi")
      .choices({"openmpi", "mpich", "abi"});
  command.option("--time-limit", "SECONDS", request.time_limit_s, kSeconds,
                 "Stop the program after this many seconds");
  command.flag("--keep-environment", request.keep_environment,
               "Store all environment variables in run.json, and do not mask passwords and tokens");
  command.takes_program(request.command);
}

void require_program(const Command& command) {
  if (!command.program->empty()) return;
  throw Error("no program to run; example: " + command.examples.front());
}

void add_run_argument(Command& command, std::string& run) {
  command.argument("RUN", run, "Run directory")
      .defaults_to("the newest under plait-runs")
      .completes(Complete::folder);
}

std::filesystem::path run_or_newest(const std::string& given) {
  return given.empty() ? report::newest_run("plait-runs") : std::filesystem::path(given);
}

double remap_interval(const std::string& text) {
  const double interval_s = parse_seconds(text);
  if (interval_s < remap::kLeastIntervalS) {
    throw Error(text, "too short an interval", "give 100ms or more; 2s is usual");
  }
  return interval_s;
}

Option& add_machine_option(Command& command, std::string& machine, const std::string& help) {
  return command.option("-m,--machine", "MACHINE", machine, help).completes(Complete::file);
}

}  // namespace plait::cli
