// SPDX-License-Identifier: BSD-3-Clause
// plait-jacobi: a pure MPI 3D Jacobi solver, honest and fast, whose bits no cut of the grid
// changes.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "decomposition.hpp"
#include "halo.hpp"
#include "options.hpp"
#include "reference.hpp"
#include "sweep.hpp"

namespace {

using namespace plait::jacobi;

/// What the iteration came to.
struct Outcome {
  int steps = 0;
  double seconds = 0.0;
  double last_change = -1.0;  ///< largest change of the last tested step; below 0: never tested
};

int ranks_on_this_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int size = 1;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size;
}

/// Bytes a second that all ranks together move when each copies one grid onto the other.
double copy_bandwidth(const Decomposition& cut, const Grid& from, Grid& to) {
  double best_s = 1e30;
  for (int repetition = 0; repetition < 4; ++repetition) {
    MPI_Barrier(cut.comm);
    const double start = MPI_Wtime();
    for (int k = 1; k <= cut.points[2]; ++k) {
      for (int j = 1; j <= cut.points[1]; ++j) {
        std::copy_n(from.row(j, k) + 1, cut.points[0], to.row(j, k) + 1);
      }
    }
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, cut.comm);
    if (repetition > 0) best_s = std::min(best_s, seconds);
  }
  // A copy reads, allocates in cache and writes each value: 24 bytes.
  const double points =
      static_cast<double>(cut.size[0]) * static_cast<double>(cut.size[1]) * cut.size[2];
  return 24.0 * points / best_s;
}

/// Chooses the kind of stores while the iteration already runs: both give the same bits, so the
/// first steps take them in turn, and the faster one stays.
class StoreTrial {
public:
  StoreTrial(const Decomposition& cut, const Grid& grid, const CacheShare& caches, Stores wanted)
      : comm_(cut.comm),
        cached_(plan_sweep(grid, caches, false)),
        streaming_(plan_sweep(grid, caches, true)) {
    int undecided = 0;
    if (wanted == Stores::automatic) undecided = outgrows_caches(grid, caches) ? 1 : 0;
    // Blocks differ in size by a layer: all ranks try as soon as one outgrows its caches.
    MPI_Allreduce(MPI_IN_PLACE, &undecided, 1, MPI_INT, MPI_MAX, comm_);
    steps_left_ = undecided != 0 ? trial_steps : 0;
    chosen_streaming_ = wanted == Stores::streaming;
  }

  /// The plan of the next step.
  [[nodiscard]] const SweepPlan& plan() const {
    const bool streaming = steps_left_ > 0 ? steps_left_ % 2 == 0 : chosen_streaming_;
    return streaming ? streaming_ : cached_;
  }

  /// Sweeps by plan(), timing it during the trial. The last trial step is collective.
  void sweep_next(Grid& next, const Grid& now) {
    if (steps_left_ == 0) {
      sweep(next, now, plan());
      return;
    }
    const double start = MPI_Wtime();
    sweep(next, now, plan());
    // The first pair warms up.
    if (steps_left_ <= trial_steps - 2) seconds_[steps_left_ % 2] += MPI_Wtime() - start;
    if (--steps_left_ == 0) {
      MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), 2, MPI_DOUBLE, MPI_SUM, comm_);
      chosen_streaming_ = seconds_[0] < seconds_[1];
    }
  }

private:
  static constexpr std::size_t trial_steps = 8;
  MPI_Comm comm_;
  SweepPlan cached_;
  SweepPlan streaming_;
  std::size_t steps_left_ = 0;
  bool chosen_streaming_ = false;
  std::array<double, 2> seconds_{};  ///< of streaming and of cached steps
};

/// Iterates until the last step or the tolerance; `now` holds the result.
Outcome iterate(const Options& options, const Decomposition& cut, StoreTrial& stores, Grid& now,
                Grid& next) {
  constexpr int steps_between_tests = 10;
  Halo halo(cut);
  Outcome outcome;
  MPI_Barrier(cut.comm);
  const double start = MPI_Wtime();
  while (outcome.steps < options.steps) {
    halo.exchange(now);
    stores.sweep_next(next, now);
    ++outcome.steps;
    const bool test = options.until > 0.0 && outcome.steps % steps_between_tests == 0;
    if (test) {
      outcome.last_change = largest_difference(next, now);
      MPI_Allreduce(MPI_IN_PLACE, &outcome.last_change, 1, MPI_DOUBLE, MPI_MAX, cut.comm);
    }
    std::swap(now, next);
    if (test && outcome.last_change <= options.until) break;
  }
  outcome.seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, cut.comm);
  return outcome;
}

void print_outcome(const Decomposition& cut, const SweepPlan& plan, const Outcome& outcome,
                   double copy_bytes_per_s) {
  const double points =
      static_cast<double>(cut.size[0]) * static_cast<double>(cut.size[1]) * cut.size[2];
  const double updates_per_s = points * outcome.steps / outcome.seconds;
  // Stengel 2010: old values read once, new ones written, and read first unless streamed.
  const double bytes_per_update = plan.streaming ? 16.0 : 24.0;
  std::printf("grid %dx%dx%d on %dx%dx%d ranks, %d steps, %s stores, blocks of %d rows\n",
              cut.size[0], cut.size[1], cut.size[2], cut.ranks[0], cut.ranks[1], cut.ranks[2],
              outcome.steps, plan.streaming ? "streaming" : "cached", plan.rows);
  std::printf("time %.4f s, %.1f MLUP/s\n", outcome.seconds, updates_per_s / 1e6);
  std::printf("memory traffic %.1f GB/s at least, if the grids are in memory (%.0f B/LUP)\n",
              updates_per_s * bytes_per_update / 1e9, bytes_per_update);
  if (copy_bytes_per_s > 0.0) {
    const double bound = copy_bytes_per_s / bytes_per_update;
    std::printf("bound %.1f MLUP/s by a copy of these grids at %.1f GB/s; reached %.0f %% of it\n",
                bound / 1e6, copy_bytes_per_s / 1e9, 100.0 * updates_per_s / bound);
  }
  if (outcome.last_change >= 0.0) std::printf("largest change %.3e\n", outcome.last_change);
}

/// The whole program after MPI_Init; its exit code.
int solve(const Options& options) {
  const Decomposition cut = decompose(options.size, options.ranks);
  Grid now(cut.points);
  Grid next(cut.points);
  set_start_values(now, cut.size, cut.first);
  set_start_values(next, cut.size, cut.first);
  StoreTrial stores(cut, now, cache_share(ranks_on_this_node()), options.stores);
  double copy_bytes_per_s = 0.0;
  if (options.bound) copy_bytes_per_s = copy_bandwidth(cut, now, next);

  const Outcome outcome = iterate(options, cut, stores, now, next);
  const std::uint64_t sum = checksum(now, cut);
  const double error = largest_error(now, cut);
  if (cut.rank == 0) {
    print_outcome(cut, stores.plan(), outcome, copy_bytes_per_s);
    std::printf("distance from the solution %.3e\n", error);
    std::printf("checksum %016" PRIx64 "\n", sum);
  }
  if (!options.check) return 0;
  const std::int64_t unlike = points_unlike_reference(now, cut, outcome.steps);
  if (cut.rank == 0) {
    if (unlike == 0) {
      std::printf("check: equal to the serial reference, bit for bit\n");
    } else {
      std::printf("check: %" PRId64 " points differ from the serial reference\n", unlike);
    }
  }
  return unlike == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int exit_code = 2;
  try {
    const Options options = parse_options(argc, argv);
    if (options.help) {
      if (rank == 0) std::fputs(help_text().c_str(), stdout);
      exit_code = 0;
    } else {
      exit_code = solve(options);
    }
  } catch (const std::invalid_argument& error) {
    // Every rank has read the same command line.
    if (rank == 0) std::fprintf(stderr, "plait-jacobi: error: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plait-jacobi: error: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_code;
}
