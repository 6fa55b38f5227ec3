// SPDX-License-Identifier: BSD-3-Clause
// Creates the problem that the options describe, and sets the fields before the first step.
#pragma once

#include <optional>

#include "checkpoint.hpp"
#include "fields.hpp"
#include "options.hpp"
#include "plait/cartesian_grid.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// @throws CollectiveError if the problem does not allow the sides; the same on all ranks
Problem make_problem(const Options& options);

/// Sets own cells to their first values (from a checkpoint, a file, noise or zero), ghosts beyond
/// static sides, and the right-hand side. Collective. @throws CollectiveError on a bad file
void set_start(const CartesianGrid& grid, const Problem& problem, const Options& options,
               const std::optional<CheckpointHeader>& restart, Fields& fields);

}  // namespace plait::jacobi
