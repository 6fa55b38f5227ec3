// SPDX-License-Identifier: BSD-3-Clause
// plait-boussinesq: solves the Boussinesq equations for trailing vortices, turbulence and internal
// waves, in every parallel model.
#include <cstdio>
#include <string>
#include <vector>

#include "options.hpp"
#include "plait/environment.hpp"
#include "report.hpp"
#include "series.hpp"

namespace {

using namespace plait::boussinesq;

/// The first line of the MPI library's version.
std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string whole(text);
  return whole.substr(0, whole.find('\n'));
}

/// Runs the program after the start of MPI and returns its exit code.
int run(const plait::CommandLine<Options>& command, const std::vector<std::string>& arguments,
        int rank) {
  if (plait::is_answered(command, rank)) return 0;
  const Options& options = command.options;
  if (options.check_all) return check_all(options) ? 0 : 1;
  std::vector<Result> results;
  bool equal = true;
  if (options.scaling || !options.hybrid.empty()) {
    results = run_series(options);
  } else {
    results.push_back(plait::boussinesq::run(MPI_COMM_WORLD, options, true));
    equal = results.front().equal.value_or(true);
    if (rank == 0) std::fputs(report(results.front()).c_str(), stdout);
  }
  if (rank == 0 && !options.json.empty()) {
    write_json(options.json, arguments, mpi_library(), results);
  }
  return equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  const plait::CommandLine<Options> command = read_command_line(argc, argv);
  const plait::Environment environment(argc, argv, plait::ThreadLevel::serialized);
  return plait::guarded("plait-boussinesq",
                        [&] { return run(command, arguments, environment.rank()); });
}
