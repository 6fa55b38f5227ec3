// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the cells of a field in one file, with all ranks at once (MPI-IO). The file has
// raw doubles with x fastest, then y, then z; its bytes do not depend on the decomposition.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait::jacobi {

/// Bytes of all cells of the grid.
std::int64_t bytes_of_cells(const CartesianGrid& grid);

/// Writes all cells into the file from byte `offset` on. Creates the file if necessary. Collective.
/// @throws CollectiveError if not all cells can be written
void write_cells(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                 std::int64_t offset);

/// Sets all own cells from a file, starting at byte `offset`. Collective.
/// @throws CollectiveError if not all cells can be read
void read_cells(const CartesianGrid& grid, Field<double>& field, const std::string& path,
                std::int64_t offset);

/// Size of a file in bytes. Collective; rank 0 reads it.
/// @param option  option that the error names; may be empty
/// @throws CollectiveError if the file does not exist or cannot be read
std::int64_t size_of_file(const CartesianGrid& grid, const std::string& option,
                          const std::string& path);

/// Writes a file under a temporary name in the same folder and renames it when it is complete, so
/// that readers of `path` find either the old file or the new one. Collective.
/// @param write  called with the temporary name; collective
/// @throws CollectiveError also if renaming fails
void replace_file(const CartesianGrid& grid, const std::string& path,
                  const std::function<void(const std::string&)>& write);

/// Checks before the run that replace_file() will be able to write the file. Collective.
/// @param option  option that the error names
/// @throws CollectiveError if it will not
void require_writable(MPI_Comm comm, const std::string& option, const std::string& path);

}  // namespace plait::jacobi
