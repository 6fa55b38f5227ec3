// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes fields as files: raw, or HDF5 if the name ends in .h5 or .hdf5.
#pragma once

#include <string>

#include "fields.hpp"
#include "plait/cartesian_grid.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// True if the name ends in .h5 or .hdf5; otherwise the file is raw.
bool is_hdf5_name(const std::string& path);

/// Sets all own cells from a file. Collective.
/// @param option  option that the error names
/// @throws CollectiveError if the file does not contain a field of this grid
void read_field(const CartesianGrid& grid, Field<double>& field, const std::string& option,
                const std::string& path);

/// Writes all cells. The file gets its name when it is complete. Collective.
/// @throws CollectiveError if it cannot be written
void write_field(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                 const Problem& problem, int steps);

/// Checks before the run that write_field() will succeed. Collective.
/// @throws CollectiveError if it will not
void require_field_writable(MPI_Comm comm, const std::string& option, const std::string& path);

}  // namespace plait::jacobi
