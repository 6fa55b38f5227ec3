// SPDX-License-Identifier: BSD-3-Clause
// The iteration: sweeps up to the last step or the tolerance, with tests, checkpoints and progress
// lines in between.
#pragma once

#include <optional>

#include "fields.hpp"
#include "options.hpp"
#include "plait/cartesian_grid.hpp"
#include "sweeps.hpp"

namespace plait::jacobi {

/// The state of the iteration and its cost so far.
struct Iteration {
  int first_step = 0;               ///< steps done by earlier runs
  int steps = 0;                    ///< all steps done, those of earlier runs included
  std::optional<double> undecided;  ///< largest change that is not tested yet
  double last_change = -1.0;        ///< largest change in the last tested step; below 0: none
  bool converged = false;
  double seconds = 0.0;  ///< of the slowest rank, without checkpoints
  double checkpoint_seconds = 0.0;
  int checkpoints = 0;
};

/// Iterates from `start` on; the result is in fields.now. Collective.
///
/// The test of step s runs during step s + 1, which is kept. So the iteration ends with the same
/// step for every schedule, any number of ranks, and with temporal blocking.
/// @throws CollectiveError if values are no longer finite or a checkpoint cannot be written
Iteration iterate(const CartesianGrid& grid, const Options& options, Fields& fields, Sweeps& sweeps,
                  const Iteration& start);

}  // namespace plait::jacobi
