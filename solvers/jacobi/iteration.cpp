// SPDX-License-Identifier: BSD-3-Clause
// The iteration: sweeps up to the last step or the tolerance, with progress lines in between.
#include "iteration.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include "checkpoint.hpp"
#include "plait/environment.hpp"
#include "plait/reduction.hpp"

namespace plait::jacobi {
namespace {

/// "1 h 02 min", "3 min 20 s", "12 s".
std::string duration_text(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole >= 3600) {
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  }
  if (whole >= 60) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole) + " s";
}

/// Prints progress lines to stderr: the first after two seconds, then at most one every five. Only
/// on rank 0 of the world, if stderr is a terminal or --progress is given. Local; reads the clock
/// once per step.
class Progress {
public:
  Progress(const CartesianGrid& grid, const Options& options, int first_step);

  /// @param last_change  largest change of the last tested step; below 0: none
  void show(int steps, double last_change);

private:
  using Clock = std::chrono::steady_clock;
  bool shown_ = false;
  const Options& options_;
  double cells_ = 0.0;
  int first_step_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(2);
};

Progress::Progress(const CartesianGrid& grid, const Options& options, int first_step)
    : options_(options), first_step_(first_step) {
  const Int3& n = grid.cells();
  cells_ = static_cast<double>(n[0]) * n[1] * n[2];
  shown_ = grid.rank() == 0 && (options.progress || ::isatty(STDERR_FILENO) == 1);
}

void Progress::show(int steps, double last_change) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::seconds(5);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double steps_per_s = (steps - first_step_) / seconds;
  std::string line = "plait-jacobi: step " + std::to_string(steps);
  const bool endless = options_.steps == std::numeric_limits<int>::max();
  if (!endless) line += " of " + std::to_string(options_.steps);
  char rate[64];
  std::snprintf(rate, sizeof rate, ", %.1f MLUP/s", steps_per_s * cells_ / 1e6);
  line += rate;
  if (last_change >= 0.0) {
    std::snprintf(rate, sizeof rate, ", largest change %.2e", last_change);
    line += rate;
    if (options_.until > 0.0) {
      std::snprintf(rate, sizeof rate, " (until %.0e)", options_.until);
      line += rate;
    }
  }
  line += ", " + duration_text(seconds);
  if (!endless) {
    line += ", at most " + duration_text((options_.steps - steps) / steps_per_s) + " left";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

class Run {
public:
  Run(const CartesianGrid& grid, const Options& options, Fields& fields, Sweeps& sweeps,
      const Iteration& start)
      : grid_(grid),
        options_(options),
        fields_(fields),
        sweeps_(sweeps),
        now_(start),
        progress_(grid, options, start.steps) {}

  Iteration operator()() {
    MPI_Barrier(grid_.comm());
    const double start = MPI_Wtime();
    while (now_.steps < options_.steps && !now_.converged) {
      advance();
      progress_.show(now_.steps, now_.last_change);
      if (checkpoint_due()) write();
    }
    fetch();
    if (now_.undecided) judge();
    now_.seconds = MPI_Wtime() - start - now_.checkpoint_seconds;
    MPI_Allreduce(MPI_IN_PLACE, &now_.seconds, 1, MPI_DOUBLE, MPI_MAX, grid_.comm());
    if (!options_.checkpoint.empty() && last_written_ != now_.steps) write();
    return now_;
  }

private:
  /// One pass, at most up to the next step that ends with a test or a checkpoint.
  void advance() {
    const bool test_pending = change_.pending() || now_.undecided.has_value();
    const std::int64_t test_at = next_multiple(options_.until > 0.0 ? options_.check_every : 0);
    if (test_pending || test_at == now_.steps + 1) {
      sweeps_.one();
      ++now_.steps;
    } else {
      const std::int64_t stop = std::min(
          {std::int64_t{options_.steps}, test_at - 1, next_multiple(options_.checkpoint_every)});
      now_.steps += sweeps_.some(static_cast<int>(stop - now_.steps));
    }
    if (test_pending) {
      fetch();
      judge();
    }
    if (now_.steps == test_at && !now_.converged) {
      change_ = start_max_change(grid_, fields_.now, fields_.next);
    }
  }

  void fetch() {
    if (change_.pending()) now_.undecided = change_.get();
  }

  void judge() {
    now_.last_change = *now_.undecided;
    now_.undecided.reset();
    if (!std::isfinite(now_.last_change)) {
      throw CollectiveError("step " + std::to_string(now_.steps),
                            "the field contains values that are not finite",
                            "check --initial, --source and --boundary");
    }
    now_.converged = now_.last_change <= options_.until;
  }

  /// The next step that is a multiple of `every`; a step that is never reached if it is 0.
  [[nodiscard]] std::int64_t next_multiple(int every) const {
    if (every == 0) return std::numeric_limits<std::int64_t>::max();
    return (std::int64_t{now_.steps} / every + 1) * every;
  }

  [[nodiscard]] bool checkpoint_due() const {
    return options_.checkpoint_every > 0 && now_.steps % options_.checkpoint_every == 0;
  }

  void write() {
    const double start = MPI_Wtime();
    fetch();
    CheckpointHeader header;
    header.cells = grid_.cells();
    header.steps = now_.steps;
    header.problem = options_.problem;
    header.boundary = options_.boundary;
    header.source = options_.source;
    header.undecided = now_.undecided;
    write_checkpoint(grid_, fields_.now, options_.checkpoint, header);
    last_written_ = now_.steps;
    ++now_.checkpoints;
    now_.checkpoint_seconds += MPI_Wtime() - start;
  }

  const CartesianGrid& grid_;
  const Options& options_;
  Fields& fields_;
  Sweeps& sweeps_;
  Iteration now_;
  Progress progress_;
  PendingReduction change_;
  int last_written_ = -1;
};

}  // namespace

Iteration iterate(const CartesianGrid& grid, const Options& options, Fields& fields, Sweeps& sweeps,
                  const Iteration& start) {
  return Run(grid, options, fields, sweeps, start)();
}

}  // namespace plait::jacobi
