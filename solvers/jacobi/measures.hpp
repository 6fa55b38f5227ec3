// SPDX-License-Identifier: BSD-3-Clause
// Numbers that describe a distributed field, and how fast this machine copies such fields.
#pragma once

#include <cstdint>

#include "fields.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// Sum modulo 2^64 of the bit patterns of all cells: independent of the cut. Collective.
std::uint64_t checksum(const CartesianGrid& grid, const Field<double>& field);

/// Largest deviation from the known solution over all cells; where solutions are known up to a
/// constant only, after the means of both have been made equal. Collective.
double distance_from_solution(const CartesianGrid& grid, const Field<double>& field,
                              const Problem& problem);

/// Bytes a second that all threads of all ranks together move when they copy one field onto the
/// other: read, allocate in cache, write, 24 bytes a cell. The best of a few. Collective.
double copy_bandwidth(const CartesianGrid& grid, const Field<double>& from, Field<double>& to);

}  // namespace plait::jacobi
