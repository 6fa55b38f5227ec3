// SPDX-License-Identifier: BSD-3-Clause
// Moves a distributed field to or from rank 0 as slabs of whole planes, for serial file formats and
// the serial reference.
#pragma once

#include <functional>
#include <span>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait::jacobi {

/// Whole planes z = first to first + count - 1, x fastest. Called on rank 0 of the grid.
using TakePlanes = std::function<void(int first, int count, std::span<const double> planes)>;
using GivePlanes = std::function<void(int first, int count, std::span<double> planes)>;

/// Passes all planes of the field to `take` on rank 0, slab by slab, in order. Collective.
/// An Error from `take` becomes a CollectiveError on every rank after the slab.
void gather_planes(const CartesianGrid& grid, const Field<double>& field, const TakePlanes& take);

/// Sets all own cells from the planes that `give` writes on rank 0, slab by slab, in order.
/// Collective; errors as in gather_planes().
void scatter_planes(const CartesianGrid& grid, Field<double>& field, const GivePlanes& give);

}  // namespace plait::jacobi
