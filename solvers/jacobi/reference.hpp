// SPDX-License-Identifier: BSD-3-Clause
// The serial reference, and the comparison of a distributed result with it, bit for bit.
#pragma once

#include <cstdint>

#include "decomposition.hpp"
#include "grid.hpp"

namespace plait::jacobi {

/// Writes the starting values of a block, ghosts and boundary included.
void set_start_values(Grid& grid, const Triple& size, const Triple& first);

/// Iterates `steps` times on the whole grid in the plainest way.
Grid serial_reference(const Triple& size, int steps);

/// How many points of the distributed result differ in any bit from the serial reference.
/// Collective: rank 0 holds the whole grid and compares. The count is valid on every rank.
std::int64_t points_unlike_reference(const Grid& block, const Decomposition& decomposition,
                                     int steps);

/// Sum modulo 2^64 of the bit patterns of all interior points: independent of the cut. Collective.
std::uint64_t checksum(const Grid& block, const Decomposition& decomposition);

/// Largest deviation from the exact solution over all interior points. Collective.
double largest_error(const Grid& block, const Decomposition& decomposition);

}  // namespace plait::jacobi
