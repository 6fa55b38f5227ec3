// SPDX-License-Identifier: BSD-3-Clause
// The problem that the options describe, and the fields before the first step.
#pragma once

#include <optional>

#include "checkpoint.hpp"
#include "fields.hpp"
#include "options.hpp"
#include "plait/cartesian_grid.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// @throws CollectiveError when the problem has no such sides; the same on all ranks
Problem make_problem(const Options& options);

/// Sets own cells to first values (a checkpoint's, a file's, noise or zero), ghosts beyond static
/// sides, and the right-hand side. Collective. @throws CollectiveError when a file will not do
void set_start(const CartesianGrid& grid, const Problem& problem, const Options& options,
               const std::optional<CheckpointHeader>& restart, Fields& fields);

}  // namespace plait::jacobi
