// SPDX-License-Identifier: BSD-3-Clause
// Collects the values of a picture and writes it.
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include "field_output.hpp"
#include "point_planes.hpp"

namespace plait::boussinesq {
namespace {

/// Values on process 0, row by row from the lowest one.
struct Image {
  int width = 0, height = 0;
  std::vector<double> values;
};

Image mean_vorticity(const Flow& flow) {
  const Grid& grid = flow.settings().grid;
  Image image{grid.points[1], grid.points[2], {}};
  for (const Complex& value : vorticity_mode(flow, 0)) image.values.push_back(value.real());
  return image;
}

/// A plane of points of the field of a slice; empty on other processes. Collective.
std::vector<double> plane_of(const Flow& flow, PointPlanes& planes, int field, int z) {
  if (field < state_count)
    return planes.read(flow.arrays().state[static_cast<std::size_t>(field)], z);
  const VorticityArrays arrays = vorticity_along_x(flow);
  std::vector<double> values = planes.read(arrays.sum, z, arrays.sum_differentiated);
  if (arrays.less == nullptr) return values;
  const std::vector<double>& less = planes.read(arrays.less, z);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= less[i];
  return values;
}

Image slice_image(const Flow& flow, const Slice& slice) {
  const Grid& grid = flow.settings().grid;
  const int nx = grid.points[0], ny = grid.points[1];
  Image image{slice.axis == 0 ? ny : nx, slice.axis == 2 ? ny : grid.points[2], {}};
  PointPlanes planes(flow);
  const int first = slice.axis == 2 ? slice.number : 0;
  const int last = slice.axis == 2 ? slice.number + 1 : grid.planes();
  for (int z = first; z < last; ++z) {
    const std::vector<double> values = plane_of(flow, planes, slice.field, z);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto x = static_cast<int>(i) % nx, y = static_cast<int>(i) / nx;
      const bool chosen = slice.axis == 2 || (slice.axis == 0 ? x : y) == slice.number;
      if (chosen) image.values.push_back(values[i]);
    }
  }
  return image;
}

bool write_ppm(const Image& image, const std::string& path) {
  double largest = 0;
  for (const double value : image.values) largest = std::max(largest, std::abs(value));
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << image.width << " " << image.height << "\n255\n";
  for (int row = image.height - 1; row >= 0; --row) {
    for (int column = 0; column < image.width; ++column) {
      const double value =
          image.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                       static_cast<std::size_t>(column)];
      const double part = largest > 0 ? value / largest : 0;
      const auto rest = static_cast<char>(std::lround(255 * (1 - std::abs(part))));
      const auto full = static_cast<char>(255);
      const char pixel[3] = {part >= 0 ? full : rest, rest, part >= 0 ? rest : full};
      file.write(pixel, 3);
    }
  }
  file.close();
  return file.good();
}

}  // namespace

void write_picture(const Flow& flow, const std::optional<Slice>& slice, const std::string& path) {
  const Image image = slice ? slice_image(flow, *slice) : mean_vorticity(flow);
  const bool good = flow.processes().rank() != 0 || write_ppm(image, path);
  const Error failed("--picture " + path, "cannot be written",
                     "check that the folder exists and that the file system is not full");
  flow.processes().agree(good ? nullptr : &failed);
}

}  // namespace plait::boussinesq
