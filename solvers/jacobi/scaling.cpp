// SPDX-License-Identifier: BSD-3-Clause
// A table of runs on 1, 2, 4 and so on ranks in one launch.
#include "scaling.hpp"

#include <cstdio>
#include <utility>

#include "first_ranks.hpp"
#include "numbers.hpp"

namespace plait::jacobi {
namespace {

void print_head(const Options& options) {
  std::printf("%s scaling, %d %s per rank, %s\n",
              options.scaling == Scaling::strong ? "strong" : "weak", options.threads,
              options.threads == 1 ? "thread" : "threads",
              options.scaling == Scaling::strong ? "the same grid for all runs"
                                                 : "the same cells per rank");
  std::printf("%5s %-14s %-8s %9s %8s%s %s\n", "ranks", "grid", "cut", "ms/step", "MLUP/s",
              speedup_titles().c_str(), "schedule");
}

/// Speedup and efficiency compare updates per second with those of the run on one rank.
void print_line(const Result& result, const Result& first) {
  const double speedup = result.updates_per_s() / first.updates_per_s();
  const double ms =
      1e3 * result.iteration.seconds / (result.iteration.steps - result.iteration.first_step);
  std::printf("%5d %-14s %-8s %9.3f %8.1f%s %s\n", result.size,
              extents_text(result.options.cells).c_str(), extents_text(result.ranks).c_str(), ms,
              result.updates_per_s() / 1e6, speedup_cells(speedup, result.size).c_str(),
              result.schedule.c_str());
  std::fflush(stdout);
}

}  // namespace

std::vector<Result> run_scaling(const Options& options) {
  int size = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Options one = options;
  one.json.clear();  // the file is written after all runs
  one.grid.ranks = {0, 0, 0};
  one.cells_are_per_rank = options.scaling == Scaling::weak;
  std::vector<Result> results;
  if (rank == 0) print_head(options);
  for (const int ranks : rank_counts(size, false)) {
    on_first_ranks(ranks, [&](MPI_Comm comm) {
      Result result = solve(comm, one);
      if (rank != 0) return;
      results.push_back(std::move(result));
      print_line(results.back(), results.front());
    });
  }
  return results;
}

}  // namespace plait::jacobi
