// SPDX-License-Identifier: BSD-3-Clause
// The cells of a field in one file, doubles with x fastest, then y, then z, read and written by all
// ranks at once (MPI-IO): the bytes do not depend on how the grid is cut.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait::jacobi {

/// Bytes of all cells of a grid.
std::int64_t bytes_of_cells(const CartesianGrid& grid);

/// Writes all cells from byte `offset` on into the file, which is made if it does not exist.
/// Collective. @throws CollectiveError when it cannot be written whole
void write_cells(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                 std::int64_t offset);

/// Sets all own cells from byte `offset` on of a file. Collective.
/// @throws CollectiveError when it cannot be read whole
void read_cells(const CartesianGrid& grid, Field<double>& field, const std::string& path,
                std::int64_t offset);

/// Size of a file in bytes. Collective: rank 0 looks.
/// @throws CollectiveError when there is no such file, or it cannot be read; `option` names it
std::int64_t size_of_file(const CartesianGrid& grid, const std::string& option,
                          const std::string& path);

/// Writes a file under another name in the same folder, and gives it its own name when it is whole:
/// whoever reads `path` finds the former file or the new one. Collective.
/// @param write  called with the other name; collective
/// @throws CollectiveError also when the name cannot be given
void replace_file(const CartesianGrid& grid, const std::string& path,
                  const std::function<void(const std::string&)>& write);

/// Tests whether replace_file() could write there, before hours are spent on what it would hold.
/// Collective. @throws CollectiveError if not; `option` names the file
void require_writable(MPI_Comm comm, const std::string& option, const std::string& path);

}  // namespace plait::jacobi
