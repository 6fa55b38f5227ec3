// SPDX-License-Identifier: BSD-3-Clause
// Runs of a measured MPI program under plait run, with and without an option.
#include "measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/statistics.hpp"
#include "base/subprocess.hpp"
#include "busy_process.hpp"
#include "plait/error.hpp"

double step_us(const MeasuredProgram& which, int ranks, const std::vector<std::string>& options,
               const std::filesystem::path& folder) {
  const std::string printed = measured_run(which, ranks, options, folder);
  double us = 0;
  if (std::sscanf(printed.c_str(), "%lf", &us) != 1)
    throw plait::Error(which.program, "the measured program printed no time", printed);
  return us;
}

std::string measured_run(const MeasuredProgram& which, int ranks,
                         const std::vector<std::string>& options,
                         const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::vector<std::string> command{which.plait,   "run", "--quiet",
                                   "--no-report", "-o",  folder.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", which.launcher, "-n", fmt::format("{}", ranks)});
  if (which.kind.starts_with("openmpi")) {
    command.insert(command.end(), {"--oversubscribe", "--bind-to", "none"});
  }
  command.push_back(which.program);
  command.insert(command.end(), which.arguments.begin(), which.arguments.end());
  std::vector<std::pair<std::string, std::string>> variables = which.variables;
  for (const char* const name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                                 "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"})
    variables.emplace_back(name, "1");
  const auto result = plait::run_command(command, std::chrono::seconds(120), {}, variables);
  if (result.exit_code != 0)
    throw plait::Error(which.program, "the measured program failed", result.err);
  return result.out;
}

StepTimes compare_steps(const MeasuredProgram& which, int ranks, bool busy,
                        const std::vector<std::string>& options,
                        const std::filesystem::path& folder) {
  const BusyProcess process(busy);
  std::vector<double> own, with, gains;
  for (int pair = 0; pair < kPairs; ++pair) {
    own.push_back(step_us(which, ranks, {}, folder));
    with.push_back(step_us(which, ranks, options, folder));
    gains.push_back(own.back() / with.back());
  }
  const StepTimes times{plait::median(own), plait::median(with), plait::median(gains)};
  fmt::print("{:<8} {:>3} ranks{:<22} {:>10.1f} us {:>10.1f} us {:>8.2f} ({:.2f} to {:.2f})\n",
             which.kind, ranks, busy ? ", a busy process" : "", times.own_us, times.with_us,
             times.gain, *std::ranges::min_element(gains), *std::ranges::max_element(gains));
  std::fflush(stdout);
  return times;
}
