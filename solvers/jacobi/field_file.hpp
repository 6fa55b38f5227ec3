// SPDX-License-Identifier: BSD-3-Clause
// Fields as files, raw or HDF5 by the ending of the name.
#pragma once

#include <string>

#include "fields.hpp"
#include "plait/cartesian_grid.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// Whether the name ends in .h5 or .hdf5; else the file is raw.
bool is_hdf5_name(const std::string& path);

/// Sets all own cells from a file. Collective.
/// @throws CollectiveError when it does not hold a field of this grid; `option` names it
void read_field(const CartesianGrid& grid, Field<double>& field, const std::string& option,
                const std::string& path);

/// Writes all cells; the file has its name only when it is whole. Collective.
/// @throws CollectiveError
void write_field(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                 const Problem& problem, int steps);

/// Fails before the run where write_field() would fail behind it. Collective.
void require_field_writable(MPI_Comm comm, const std::string& option, const std::string& path);

}  // namespace plait::jacobi
