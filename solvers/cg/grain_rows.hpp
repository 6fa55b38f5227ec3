// SPDX-License-Identifier: BSD-3-Clause
// Chooses how many rows the grains of a product have.
#pragma once

#include <mpi.h>

#include <vector>

#include "nas_grid.hpp"
#include "nas_product.hpp"

namespace plait::cg {

/// Sizes of grains to be tried, ascending, each twice the one before it. The first is the fewest
/// rows whose sums reach 90 % of the bandwidth between partners of a process row, as measured now
/// (Viet et al. 2005, 6.2: 1750 and 2000 on his clusters), or fewer if there were too few grains
/// for an overlap; the last has all rows that a rank keeps. Collective over `comm`.
/// @return the same on all ranks
std::vector<int> possible_grain_rows(MPI_Comm comm, const NasGrid& grid, int threads);

/// The size with the fastest products, measured by turns; a smaller one only if it is clearly
/// faster. Collective over `comm`.
/// @param product  of model tc; its matrix has the cuts of the first size. Its grains change.
/// @return the same on all ranks
int fastest_grain_rows(MPI_Comm comm, NasProduct& product, const std::vector<int>& sizes,
                       int grains_before);

}  // namespace plait::cg
