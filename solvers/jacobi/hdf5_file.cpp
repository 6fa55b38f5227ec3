// SPDX-License-Identifier: BSD-3-Clause
// A field as the dataset "u" of an HDF5 file, with the serial HDF5 library on rank 0. Without HDF5,
// an error.
#include "hdf5_file.hpp"

#ifdef PLAIT_JACOBI_HDF5
#include <hdf5.h>
#endif

#include <array>
#include <utility>

#include "plait/environment.hpp"
#include "planes.hpp"

namespace plait::jacobi {

#ifdef PLAIT_JACOBI_HDF5

namespace {

Error failure(const std::string& path, const std::string& what) {
  return {path, what, "check that it is an HDF5 file and that the file system is not full"};
}

/// An HDF5 identifier that closes itself.
class Handle {
public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  /// Closes now. Returns false if that fails, for example because buffered data cannot be written.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

using Extents = std::array<hsize_t, 3>;

/// z, y, x: the dataset's order.
Extents extents_of(const Int3& cells) {
  return {static_cast<hsize_t>(cells[2]), static_cast<hsize_t>(cells[1]),
          static_cast<hsize_t>(cells[0])};
}

/// File and dataset on rank 0; empty on other ranks.
struct OpenFile {
  Handle file;
  Handle dataset;
};

void write_attribute(const Handle& dataset, const char* name, hid_t type, hid_t memory_type,
                     const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(dataset.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.get(), memory_type, value);
}

void write_text(const Handle& dataset, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  write_attribute(dataset, name, type.get(), type.get(), text.c_str());
}

OpenFile create(const std::string& path, const Int3& cells, const Hdf5Attributes& attributes) {
  OpenFile open;
  open.file = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!open.file.valid()) throw failure(path, "cannot be created");
  const Extents extents = extents_of(cells);
  const Handle space(H5Screate_simple(3, extents.data(), nullptr), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  // Time stamps would make files of equal fields differ.
  H5Pset_obj_track_times(properties.get(), false);
  open.dataset = Handle(H5Dcreate2(open.file.get(), "u", H5T_IEEE_F64LE, space.get(), H5P_DEFAULT,
                                   properties.get(), H5P_DEFAULT),
                        H5Dclose);
  if (!open.dataset.valid()) throw failure(path, "cannot be written");
  write_attribute(open.dataset, "steps", H5T_STD_I32LE, H5T_NATIVE_INT, &attributes.steps);
  write_attribute(open.dataset, "spacing", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &attributes.spacing);
  write_text(open.dataset, "problem", attributes.problem);
  write_text(open.dataset, "boundary", attributes.boundary);
  return open;
}

OpenFile open_existing(const std::string& path, const Int3& cells) {
  OpenFile open;
  open.file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!open.file.valid())
    throw Error(path, "not an HDF5 file, or not readable", "pass another file");
  open.dataset = Handle(H5Dopen2(open.file.get(), "u", H5P_DEFAULT), H5Dclose);
  if (!open.dataset.valid()) {
    throw Error(path, "has no dataset 'u'", "name the field 'u' (h5copy -s NAME -d u)");
  }
  const Handle space(H5Dget_space(open.dataset.get()), H5Sclose);
  Extents extents{};
  const bool three = H5Sget_simple_extent_ndims(space.get()) == 3 &&
                     H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) == 3;
  if (!three || extents != extents_of(cells)) {
    const std::string found = three
                                  ? std::to_string(extents[2]) + "x" + std::to_string(extents[1]) +
                                        "x" + std::to_string(extents[0])
                                  : "not three-dimensional";
    throw Error(path, "the dataset 'u' is " + found + ", but the extents of the grid differ",
                "pass the --size of the file");
  }
  return open;
}

/// Selects some planes in the file and in memory.
struct Selection {
  Handle file;
  Handle memory;
  Selection(const Handle& dataset, const Int3& cells, int first, int count) {
    Extents extents = extents_of(cells);
    extents[0] = static_cast<hsize_t>(count);
    const Extents start{static_cast<hsize_t>(first), 0, 0};
    file = Handle(H5Dget_space(dataset.get()), H5Sclose);
    H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr);
    memory = Handle(H5Screate_simple(3, extents.data(), nullptr), H5Sclose);
  }
};

}  // namespace

bool has_hdf5() {
  return true;
}

void write_hdf5(const CartesianGrid& grid, const Field<double>& field, const std::string& path,
                const Hdf5Attributes& attributes) {
  // The errors thrown below replace HDF5's own messages.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  OpenFile open;
  gather_planes(grid, field, [&](int first, int count, std::span<const double> planes) {
    if (first == 0) open = create(path, grid.cells(), attributes);
    const Selection selection(open.dataset, grid.cells(), first, count);
    if (H5Dwrite(open.dataset.get(), H5T_NATIVE_DOUBLE, selection.memory.get(),
                 selection.file.get(), H5P_DEFAULT, planes.data()) < 0) {
      throw failure(path, "cannot be written");
    }
    if (first + count < grid.cells()[2]) return;
    const bool closed = open.dataset.close();
    if (!open.file.close() || !closed) throw failure(path, "incomplete after writing");
  });
}

void read_hdf5(const CartesianGrid& grid, Field<double>& field, const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  OpenFile open;
  scatter_planes(grid, field, [&](int first, int count, std::span<double> planes) {
    if (first == 0) open = open_existing(path, grid.cells());
    const Selection selection(open.dataset, grid.cells(), first, count);
    if (H5Dread(open.dataset.get(), H5T_NATIVE_DOUBLE, selection.memory.get(), selection.file.get(),
                H5P_DEFAULT, planes.data()) < 0) {
      throw failure(path, "cannot be read");
    }
  });
}

#else

namespace {

CollectiveError refusal(const std::string& path) {
  return {path, "this plait-jacobi was built without HDF5",
          "use a raw file (a name that ends neither in .h5 nor in .hdf5), or build with HDF5 "
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

#endif

}  // namespace plait::jacobi
