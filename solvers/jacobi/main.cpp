// SPDX-License-Identifier: BSD-3-Clause
// plait-jacobi: solves Laplace's and Poisson's equation by Jacobi's method, in every parallel
// model.
#include <cstdio>
#include <string>
#include <vector>

#include "check_all.hpp"
#include "options.hpp"
#include "plait/environment.hpp"
#include "report.hpp"
#include "result_json.hpp"
#include "scaling.hpp"
#include "solve.hpp"

namespace {

using namespace plait::jacobi;

/// Runs the program after the start of MPI and returns its exit code.
int run(const plait::CommandLine<Options>& command, const std::vector<std::string>& arguments,
        int rank) {
  if (plait::is_answered(command, rank)) return 0;
  const Options& options = command.options;
  if (options.check_all) return check_all(options);

  std::vector<Result> results;
  bool equal = true;
  if (options.scaling != Scaling::none) {
    results = run_scaling(options);
  } else {
    results.push_back(solve(MPI_COMM_WORLD, options));
    equal = results.front().unlike_reference <= 0;
    if (rank == 0) std::fputs(report(results.front()).c_str(), stdout);
  }
  if (rank == 0 && !options.json.empty()) write_json(options.json, arguments, results);
  return equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  const plait::CommandLine<Options> command = read_command_line(argc, argv);
  const plait::Environment environment(argc, argv, command.options.thread_level);
  return plait::guarded("plait-jacobi",
                        [&] { return run(command, arguments, environment.rank()); });
}
