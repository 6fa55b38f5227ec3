// SPDX-License-Identifier: BSD-3-Clause
// What lies beyond an open end of the grid; apart from halo.hpp, as kernels need it without MPI.
#pragma once

namespace plait {

/// What lies beyond an open end of the grid.
enum class Side {
  fixed,   ///< the ghosts keep what the program wrote there (Dirichlet, static values)
  mirror,  ///< ghost layer g takes own layer g from the side: u(-1-g) = u(g) (Neumann, zero flux at
           ///< the cells' face)
};

}  // namespace plait
