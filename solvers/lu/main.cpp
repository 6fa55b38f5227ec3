// SPDX-License-Identifier: BSD-3-Clause
// plait-lu: solves dense linear systems by LU factorization, in every parallel model.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "blas.hpp"
#include "dgemm_rate.hpp"
#include "first_ranks.hpp"
#include "options.hpp"
#include "plait/environment.hpp"
#include "report.hpp"
#include "solve.hpp"

namespace {

using namespace plait::lu;
using plait::CollectiveError;
using plait::Error;

/// Solves on the first ranks; the others sleep. Collective over MPI_COMM_WORLD.
/// @return the result on the ranks that took part
std::optional<Result> solve_on_first_ranks(const RunOptions& run) {
  std::optional<Result> result;
  plait::on_first_ranks(run.process_rows * run.process_columns,
                        [&](MPI_Comm comm) { result = solve(comm, run); });
  return result;
}

/// The rate when all cores of the ranks are busy: of the slowest rank.
double dgemm_on_all_ranks() {
  MPI_Barrier(MPI_COMM_WORLD);
  double rate = dgemm_flops_per_s();
  MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  return rate;
}

std::vector<std::vector<RunOptions>> all_runs(const Options& options, int ranks) {
  try {
    const bool threads = options.all_schedules || options.run.schedule != ScheduleKind::mpi;
    use_one_blas_thread(threads ? options.run.factorization.threads : 1);
    return runs_of(options, ranks);
  } catch (const Error& error) {
    throw CollectiveError(error);
  }
}

/// Runs the program after the start of MPI and returns its exit code.
int run(const plait::CommandLine<Options>& command, const std::vector<std::string>& arguments,
        int rank, int ranks) {
  if (plait::is_answered(command, rank)) return 0;
  const Options& options = command.options;
  const auto cases = all_runs(options, ranks);
  plait::check_writable("--json", options.json, rank);

  const bool hpl = !options.hpl_file.empty();
  if (hpl && rank == 0) {
    std::printf("%-8s%15s %5s %5s %5s %18s %18s\n", "T/V", "N", "NB", "P", "Q", "Time", "Gflops");
  }
  DgemmRate dgemm;
  if (options.dgemm) dgemm.before = dgemm_on_all_ranks();
  std::vector<Result> results;
  int failed = 0;
  int different = 0;
  for (const auto& schedules : cases) {
    std::optional<Result> first;
    for (const RunOptions& one : schedules) {
      const std::optional<Result> result = solve_on_first_ranks(one);
      if (options.dgemm) dgemm.after = dgemm_on_all_ranks();
      if (rank != 0) continue;
      if (!first) first = result;
      if (!result->passed()) ++failed;
      if (result->checksum != first->checksum) ++different;
      std::fputs((hpl ? hpl_lines(*result) : report(*result, dgemm)).c_str(), stdout);
      std::fflush(stdout);
      results.push_back(*result);
    }
  }
  if (rank == 0) {
    if (options.all_schedules) {
      std::printf("check: %zu runs, %d failed, %d differ between schedules\n", results.size(),
                  failed, different);
    }
    if (!options.json.empty()) write_json(options.json, arguments, results, dgemm);
  }
  int wrong = failed + different;
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  const plait::CommandLine<Options> command = read_command_line(argc, argv);
  const plait::Environment environment(argc, argv, plait::ThreadLevel::serialized);
  return plait::guarded(
      "plait-lu", [&] { return run(command, arguments, environment.rank(), environment.size()); });
}
