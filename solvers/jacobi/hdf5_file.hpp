// SPDX-License-Identifier: BSD-3-Clause
// A field as the dataset "u" of an HDF5 file. Rank 0 writes and reads it in slabs of planes, so the
// serial HDF5 library suffices.
#pragma once

#include <string>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait::jacobi {

/// True if this build has HDF5.
bool has_hdf5();

/// The attributes of the dataset.
struct Hdf5Attributes {
  int steps = 0;
  double spacing = 0.0;
  std::string problem;
  std::string boundary;
};

/// Writes the dataset "u" of nz x ny x nx doubles. Collective.
/// The bytes depend only on values and attributes, not on the decomposition or the time.
/// @throws CollectiveError if the file cannot be written or this build has no HDF5
void write_hdf5(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                const Hdf5Attributes& attributes);

/// Sets all own cells from the dataset "u". Collective.
/// @throws CollectiveError if there is no dataset of this grid's shape or this build has no HDF5
void read_hdf5(const CartesianGrid& grid, Field<double>& field, const std::string& path);

}  // namespace plait::jacobi
