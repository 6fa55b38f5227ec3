// SPDX-License-Identifier: BSD-3-Clause
// Writes u, v, w and b at the points.
#include "field_output.hpp"

#ifdef PLAIT_BOUSSINESQ_HDF5
#include <hdf5.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>

#include "fft.hpp"
#include "point_planes.hpp"

namespace plait::boussinesq {
namespace {

constexpr std::array<const char*, state_count> names{"u", "v", "w", "b"};

bool is_hdf5(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

/// Takes planes of points, one after the other.
class Sink {
public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  /// @return false if that fails
  virtual bool write(int field, int plane, const std::vector<double>& values) = 0;
  virtual bool close() = 0;
};

class RawFile : public Sink {
public:
  explicit RawFile(const std::string& path) : file_(path, std::ios::binary) {}
  bool write(int /*field*/, int /*plane*/, const std::vector<double>& values) override {
    file_.write(reinterpret_cast<const char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(double)));
    return file_.good();
  }
  bool close() override {
    file_.close();
    return file_.good();
  }

private:
  std::ofstream file_;
};

#ifdef PLAIT_BOUSSINESQ_HDF5

class Hdf5File : public Sink {
public:
  Hdf5File(const std::string& path, const Grid& grid, double time)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        extents_{static_cast<hsize_t>(grid.points[2]), static_cast<hsize_t>(grid.points[1]),
                 static_cast<hsize_t>(grid.points[0])} {
    if (file_ < 0) return;
    space_ = H5Screate_simple(3, extents_.data(), nullptr);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, false);  // equal fields give equal files
    for (const char* name : names) {
      sets_.push_back(
          H5Dcreate2(file_, name, H5T_IEEE_F64LE, space_, H5P_DEFAULT, properties, H5P_DEFAULT));
    }
    H5Pclose(properties);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(file_, "time", H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &time);
    H5Aclose(attribute);
    H5Sclose(scalar);
  }
  ~Hdf5File() override { close(); }

  bool write(int field, int plane, const std::vector<double>& values) override {
    const hid_t set =
        field < static_cast<int>(sets_.size()) ? sets_[static_cast<std::size_t>(field)] : -1;
    if (set < 0) return false;
    const std::array<hsize_t, 3> start{static_cast<hsize_t>(plane), 0, 0};
    const std::array<hsize_t, 3> part{1, extents_[1], extents_[2]};
    H5Sselect_hyperslab(space_, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr);
    const hid_t memory = H5Screate_simple(3, part.data(), nullptr);
    const bool good =
        H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space_, H5P_DEFAULT, values.data()) >= 0;
    H5Sclose(memory);
    return good;
  }

  bool close() override {
    bool good = file_ >= 0;
    for (const hid_t set : sets_) good = (set < 0 || H5Dclose(set) >= 0) && good;
    sets_.clear();
    if (space_ >= 0) H5Sclose(space_);
    space_ = -1;
    if (file_ >= 0) good = H5Fclose(file_) >= 0 && good;
    file_ = -1;
    return good;
  }

private:
  hid_t file_, space_ = -1;
  std::array<hsize_t, 3> extents_;
  std::vector<hid_t> sets_;
};

/// Describes an HDF5 file for ParaView and VisIt.
bool write_xdmf(const std::string& path, const Grid& grid, double time) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto extents = std::to_string(grid.points[2]) + " " + std::to_string(grid.points[1]) + " " +
                       std::to_string(grid.points[0]);
  std::ofstream file(path.substr(0, path.rfind('.')) + ".xdmf");
  file.precision(17);
  file << "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain>"
       << "<Grid Name=\"flow\" GridType=\"Uniform\">\n<Time Value=\"" << time
       << "\"/>\n<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" << extents
       << "\"/>\n<Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
       << "<DataItem Dimensions=\"3\" Format=\"XML\">0 0 0</DataItem>\n"
       << "<DataItem Dimensions=\"3\" Format=\"XML\">" << grid.spacing(2) << " " << grid.spacing(1)
       << " " << grid.spacing(0) << "</DataItem>\n</Geometry>\n";
  for (const char* field : names) {
    file << "<Attribute Name=\"" << field << "\" Center=\"Node\"><DataItem Dimensions=\"" << extents
         << "\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">" << name << ":/" << field
         << "</DataItem></Attribute>\n";
  }
  file << "</Grid></Domain></Xdmf>\n";
  file.close();
  return file.good();
}

#endif

std::unique_ptr<Sink> make_sink(const std::string& path, const Grid& grid, double time) {
#ifdef PLAIT_BOUSSINESQ_HDF5
  if (is_hdf5(path)) {
    if (!write_xdmf(path, grid, time)) return nullptr;
    return std::make_unique<Hdf5File>(path, grid, time);
  }
#endif
  static_cast<void>(grid);
  static_cast<void>(time);
  return std::make_unique<RawFile>(path);
}

}  // namespace

void check_field_format(const std::string& path) {
#ifndef PLAIT_BOUSSINESQ_HDF5
  if (is_hdf5(path)) {
    throw Error("--output " + path, "plait-boussinesq was built without HDF5",
                "give a file that does not end in .h5, or install libhdf5-dev and build again");
  }
#else
  static_cast<void>(path);
#endif
}

void write_fields(const Flow& flow, const std::string& path) {
  const Grid& grid = flow.settings().grid;
  Processes& processes = flow.processes();
  PointPlanes planes(flow);
  std::unique_ptr<Sink> sink;
  if (processes.rank() == 0) sink = make_sink(path, grid, flow.time());
  bool good = processes.rank() != 0 || sink != nullptr;
  for (int field = 0; field < state_count; ++field) {
    for (int z = 0; z < grid.planes(); ++z) {
      const std::vector<double>& values =
          planes.read(flow.arrays().state[static_cast<std::size_t>(field)], z);
      if (sink) good = good && sink->write(field, z, values);
    }
  }
  if (sink) good = sink->close() && good;
  const Error failed("--output " + path, "cannot be written",
                     "check that the folder exists and that the file system is not full");
  processes.agree(good ? nullptr : &failed);
}

VorticityArrays vorticity_along_x(const Flow& flow) {
  const auto& derived = flow.arrays().derived;
  if (flow.settings().subgrid == Subgrid::none) return {derived[0], false, nullptr};
  return {flow.arrays().state[2], true, derived[1]};  // dw/dy and dv/dz
}

std::vector<Complex> vorticity_mode(const Flow& flow, int x) {
  const Grid& grid = flow.settings().grid;
  Processes& processes = flow.processes();
  const int ny = grid.points[1], modes = grid.modes_y();
  const VorticityArrays vorticity = vorticity_along_x(flow);
  const Fft fft(ny);
  std::vector<Complex> values;
  std::vector<Complex> line(static_cast<std::size_t>(modes)), other_line = line;
  std::vector<Pair> memory(2 * static_cast<std::size_t>(ny));
  for (int z = 0; z < grid.planes(); ++z) {
    processes.gather(vorticity.sum, z, {x, x + 1}, line.data());
    for (int j = 0; vorticity.sum_differentiated && j < modes; ++j) {
      line[static_cast<std::size_t>(j)] *= Complex(0, grid.ky(j));
    }
    if (vorticity.less != nullptr) {
      processes.gather(vorticity.less, z, {x, x + 1}, other_line.data());
      for (std::size_t j = 0; j < line.size(); ++j) line[j] -= other_line[j];
    }
    if (processes.rank() != 0) continue;
    std::fill(memory.begin(), memory.end(), Pair{});
    for (int j = 0; j < modes; ++j) {
      const int row = j <= grid.most_y() ? j : ny - modes + j;
      memory[static_cast<std::size_t>(row)] = load(&line[static_cast<std::size_t>(j)], 1);
    }
    const Pair* points = fft.transform(memory.data(), memory.data() + ny, true);
    for (int j = 0; j < ny; ++j) values.emplace_back(points[j].re[0], points[j].im[0]);
  }
  return values;
}

}  // namespace plait::boussinesq
