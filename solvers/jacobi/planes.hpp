// SPDX-License-Identifier: BSD-3-Clause
// A distributed field as whole planes on rank 0, a slab of them at a time: for serial file formats
// and the serial reference.
#pragma once

#include <functional>
#include <span>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait::jacobi {

/// Whole planes z = first to first + count - 1, x fastest; called on rank 0 of the grid.
using TakePlanes = std::function<void(int first, int count, std::span<const double> planes)>;
using GivePlanes = std::function<void(int first, int count, std::span<double> planes)>;

/// Hands all planes of the field to `take` on rank 0, slab by slab, in order. Collective.
/// What `take` throws as an Error is thrown as a CollectiveError by every rank, behind the slab.
void gather_planes(const CartesianGrid& grid, const Field<double>& field, const TakePlanes& take);

/// Sets all own cells from the planes that `give` writes on rank 0, slab by slab, in order.
/// Collective; errors as in gather_planes().
void scatter_planes(const CartesianGrid& grid, Field<double>& field, const GivePlanes& give);

}  // namespace plait::jacobi
