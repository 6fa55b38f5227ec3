// SPDX-License-Identifier: BSD-3-Clause
// Runs on the first ranks of all, and a table of runs on 1, 2, 4 and so on ranks in one launch.
#include "scaling.hpp"

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "numbers.hpp"
#include "plait/environment.hpp"

namespace plait::jacobi {
namespace {

void print_head(const Options& options) {
  std::printf("%s scaling, %d %s per rank, %s\n",
              options.scaling == Scaling::strong ? "strong" : "weak", options.threads,
              options.threads == 1 ? "thread" : "threads",
              options.scaling == Scaling::strong ? "the same grid for all runs"
                                                 : "the same cells per rank");
  std::printf("%5s %-14s %-8s %9s %8s %7s %6s %s\n", "ranks", "grid", "cut", "ms/step", "MLUP/s",
              "speedup", "eff.", "schedule");
}

/// Speedup and efficiency compare updates per second with those of the run on one rank.
void print_line(const Result& result, const Result& first) {
  const double speedup = result.updates_per_s() / first.updates_per_s();
  const double ms =
      1e3 * result.iteration.seconds / (result.iteration.steps - result.iteration.first_step);
  std::printf("%5d %-14s %-8s %9.3f %8.1f %7.2f %4.0f %% %s\n", result.size,
              extents_text(result.options.cells).c_str(), extents_text(result.ranks).c_str(), ms,
              result.updates_per_s() / 1e6, speedup, 100.0 * speedup / result.size,
              result.schedule.c_str());
  std::fflush(stdout);
}

}  // namespace

void on_first_ranks(int ranks, const std::function<void(MPI_Comm)>& body) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool member = rank < ranks;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &comm);
  std::optional<CollectiveError> error;
  if (member) {
    try {
      body(comm);
    } catch (const CollectiveError& thrown) {
      error.emplace(thrown);
    }
    MPI_Comm_free(&comm);
  }
  // Rank 0 is a member, and all members have the same errors.
  int failed = error ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (error) throw CollectiveError(*error);
  if (failed != 0) throw CollectiveError("run", "failed on the ranks that took part", "");
}

std::vector<int> rank_counts(int most, bool thirds) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) {
    counts.push_back(count);
    if (thirds && count > 1 && count / 2 * 3 < most) counts.push_back(count / 2 * 3);
  }
  counts.push_back(most);
  return counts;
}

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
