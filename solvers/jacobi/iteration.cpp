// SPDX-License-Identifier: BSD-3-Clause
// The iteration: sweeps until the last step or the tolerance.
#include "iteration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "checkpoint.hpp"
#include "plait/environment.hpp"
#include "plait/reduction.hpp"
#include "progress.hpp"

namespace plait::jacobi {
namespace {

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
  /// One pass: up to the next step after which something is to be done.
  void advance() {
    const bool test_behind = change_.pending() || now_.undecided.has_value();
    const std::int64_t test_at = next_multiple(options_.until > 0.0 ? options_.check_every : 0);
    if (test_behind || test_at == now_.steps + 1) {
      sweeps_.one();
      ++now_.steps;
    } else {
      const std::int64_t stop = std::min(
          {std::int64_t{options_.steps}, test_at - 1, next_multiple(options_.checkpoint_every)});
      now_.steps += sweeps_.some(static_cast<int>(stop - now_.steps));
    }
    if (test_behind) {
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
                            "the field holds values that are not finite numbers",
                            "look at --initial, --source and --boundary");
    }
    now_.converged = now_.last_change <= options_.until;
  }

  /// The next step that is a multiple of `every`; beyond all steps when it is 0.
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
