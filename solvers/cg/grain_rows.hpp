// SPDX-License-Identifier: BSD-3-Clause
// Chooses how many rows the grains of a product have.
#pragma once

#include <mpi.h>

#include "nas_grid.hpp"

namespace plait::cg {

/// The fewest rows whose sums reach 90 % of the bandwidth between partners of a process row, as
/// measured now (Viet et al. 2005, 6.2: 1750 and 2000 on his clusters); fewer if there were too few
/// grains for an overlap. Collective over `comm`. @return the same on all ranks
int choose_grain_rows(MPI_Comm comm, const NasGrid& grid, int threads);

}  // namespace plait::cg
