// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes fields as files: raw, or HDF5 if the name ends in .h5 or .hdf5.
#include "field_file.hpp"

#include "cell_file.hpp"
#include "hdf5_file.hpp"
#include "numbers.hpp"
#include "plait/environment.hpp"

namespace plait::jacobi {

bool is_hdf5_name(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

void read_field(const CartesianGrid& grid, Field<double>& field, const std::string& option,
                const std::string& path) {
  const std::int64_t bytes = size_of_file(grid, option, path);
  if (is_hdf5_name(path)) {
    read_hdf5(grid, field, path);
    return;
  }
  if (bytes != bytes_of_cells(grid)) {
    throw CollectiveError(option + " " + path,
                          "has " + std::to_string(bytes) + " bytes, but a raw field of " +
                              extents_text(grid.cells()) + " doubles has " +
                              std::to_string(bytes_of_cells(grid)),
                          "pass the --size of the file");
  }
  read_cells(grid, field, path, 0);
}

void write_field(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                 const Problem& problem, int steps) {
  replace_file(grid, path, [&](const std::string& partial) {
    if (is_hdf5_name(path)) {
      write_hdf5(grid, field, partial,
                 {steps, problem.spacing(), to_string(problem.kind()), problem.boundary().text()});
    } else {
      write_cells(grid, field, partial, 0);
    }
  });
}

void require_field_writable(MPI_Comm comm, const std::string& option, const std::string& path) {
  if (is_hdf5_name(path) && !has_hdf5()) {
    throw CollectiveError(option + " " + path, "this plait-jacobi was built without HDF5",
                          "use a raw file (a name that ends neither in .h5 nor in .hdf5)");
  }
  require_writable(comm, option, path);
}

}  // namespace plait::jacobi
