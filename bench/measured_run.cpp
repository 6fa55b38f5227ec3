// SPDX-License-Identifier: BSD-3-Clause
// Runs of a measured MPI program under plait run, with and without an option.
#include "measured_run.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

std::string measured_run(const MeasuredProgram& which, int ranks,
                         const std::vector<std::string>& options,
                         const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::vector<std::string> command{which.plait,   "run", "--quiet",
                                   "--no-report", "-o",  folder.string()};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", which.launcher, "-n", fmt::format("{}", ranks)});
  if (which.kind == "openmpi") {
    command.insert(command.end(), {"--oversubscribe", "--bind-to", "none"});
  }
  command.push_back(which.program);
  const auto result = plait::run_command(
      command, std::chrono::seconds(120), {},
      {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  if (result.exit_code != 0)
    throw plait::Error(which.program, "the measured program failed", result.err);
  return result.out;
}
