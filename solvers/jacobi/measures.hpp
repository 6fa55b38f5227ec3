// SPDX-License-Identifier: BSD-3-Clause
// Numbers that describe a distributed field, and the machine's copy bandwidth for such fields.
#pragma once

#include <cstdint>

#include "fields.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// Sum modulo 2^64 of the bit patterns of all cells; independent of the decomposition. Collective.
std::uint64_t checksum(const CartesianGrid& grid, const Field<double>& field);

/// Largest deviation from the known solution over all cells. If solutions are known only up to a
/// constant, the means of both are made equal first. Collective.
double distance_from_solution(const CartesianGrid& grid, const Field<double>& field,
                              const Problem& problem);

/// Bytes per second that all threads of all ranks move together when they copy one field to the
/// other. A cell counts 24 bytes: read, write-allocate and write. Best of a few. Collective.
double copy_bandwidth(const CartesianGrid& grid, const Field<double>& from, Field<double>& to);

}  // namespace plait::jacobi
