// SPDX-License-Identifier: BSD-3-Clause
// The condition at an open end of the grid. Separate from halo.hpp because kernels need it without
// MPI.
#pragma once

namespace plait {

/// What an exchange does with the ghosts beyond an open end of the grid.
enum class Side {
  fixed,   ///< the ghosts keep the program's values (Dirichlet)
  mirror,  ///< ghost layer g gets the values of own layer g: u(-1-g) = u(g) (Neumann, zero flux
           ///< through the face of the cell)
};

}  // namespace plait
