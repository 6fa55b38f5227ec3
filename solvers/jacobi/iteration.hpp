// SPDX-License-Identifier: BSD-3-Clause
// The iteration: sweeps until the last step or the tolerance, with tests, checkpoints and progress
// between them.
#pragma once

#include <optional>

#include "fields.hpp"
#include "options.hpp"
#include "plait/cartesian_grid.hpp"
#include "sweeps.hpp"

namespace plait::jacobi {

/// Where the iteration stands, and what it took.
struct Iteration {
  int first_step = 0;               ///< steps made by earlier runs
  int steps = 0;                    ///< those included
  std::optional<double> undecided;  ///< largest change whose test is still to come
  double last_change = -1.0;        ///< largest change of the last tested step; below 0: none
  bool converged = false;
  double seconds = 0.0;  ///< of the slowest rank, without checkpoints
  double checkpoint_seconds = 0.0;
  int checkpoints = 0;
};

/// Iterates from where `start` stands; fields.now holds the result. Collective.
///
/// The test of step s runs behind step s + 1, which is kept: with every schedule, number of ranks
/// and temporal blocking the iteration ends with the same step.
/// @throws CollectiveError when the values are no longer finite, or a checkpoint cannot be written
Iteration iterate(const CartesianGrid& grid, const Options& options, Fields& fields, Sweeps& sweeps,
                  const Iteration& start);

}  // namespace plait::jacobi
