// SPDX-License-Identifier: BSD-3-Clause
// Starts solvers on this machine and on emulated nodes.
#include "solver_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::bench {

std::string run_solver(const Solver& solver, int ranks, const std::vector<std::string>& options,
                       std::chrono::minutes limit) {
  std::vector<std::string> command{solver.launcher};
  // Otherwise Open MPI binds a rank to one core, with all of its threads.
  if (solver.asks_to_share) command.insert(command.end(), {"--oversubscribe", "--bind-to", "none"});
  command.insert(command.end(), {"-n", std::to_string(ranks), solver.program});
  command.insert(command.end(), options.begin(), options.end());
  const CommandResult result =
      run_command(command, limit, {},
                  {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  if (result.exit_code != 0) {
    throw Error(std::filesystem::path(solver.program).filename(), "failed", result.err);
  }
  return result.out;
}

double number_after(const std::string& output, const std::string& after) {
  const std::size_t place = output.find(after);
  if (place == std::string::npos) throw Error("solver", "printed no \"" + after + "\"", output);
  return std::atof(output.c_str() + place + after.size());
}

void run_by_turns(const Nodes& nodes, const Solver& solver, std::vector<SolverModel>& models,
                  int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (SolverModel& model : models) {
      std::vector<std::string> command{solver.launcher};
      command.insert(command.end(), model.of_launcher.begin(), model.of_launcher.end());
      command.insert(command.end(), {"-n", std::to_string(model.ranks), solver.program});
      command.insert(command.end(), model.options.begin(), model.options.end());
      model.outputs.push_back(nodes.run(std::filesystem::path(solver.program).filename(), command,
                                        std::chrono::minutes(3)));
      model.seconds.push_back(number_after(model.outputs.back(), "\ntime "));
    }
  }
  for (const SolverModel& model : models) {
    const auto interval = median_interval(model.seconds);
    const auto& last = models.back();
    fmt::print("  {:<15} {:>7.3f} s  [{:.3f}, {:.3f}]  over {} {:.3f}\n", model.name,
               interval.median, interval.low, interval.high, last.name,
               ratio_interval(model.seconds, last.seconds).median);
  }
  std::fflush(stdout);
}

}  // namespace plait::bench
