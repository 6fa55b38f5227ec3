// SPDX-License-Identifier: BSD-3-Clause
// What stands for HDF5 files where the build found no HDF5: a clear refusal.
#include "hdf5_file.hpp"
#include "plait/environment.hpp"

namespace plait::jacobi {
namespace {

CollectiveError refusal(const std::string& path) {
  return {path, "this plait-jacobi was built without HDF5",
          "use a raw file (a name that ends neither in .h5 nor in .hdf5), or build where HDF5 is "
          "(Debian: libhdf5-dev)"};
}

}  // namespace

bool has_hdf5() {
  return false;
}

void write_hdf5(const CartesianGrid& /*grid*/, const Field<double>& /*field*/,
                const std::string& path, const Hdf5Attributes& /*attributes*/) {
  throw refusal(path);
}

void read_hdf5(const CartesianGrid& /*grid*/, Field<double>& /*field*/, const std::string& path) {
  throw refusal(path);
}

}  // namespace plait::jacobi
