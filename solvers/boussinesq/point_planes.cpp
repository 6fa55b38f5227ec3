// SPDX-License-Identifier: BSD-3-Clause
// Gathers the modes of a plane and transforms them.
#include "point_planes.hpp"

namespace plait::boussinesq {

PointPlanes::PointPlanes(const Flow& flow) : flow_(flow), transform_(flow.settings().grid) {
  const Grid& grid = flow.settings().grid;
  const auto columns = static_cast<std::size_t>(grid.modes_x());
  modes_.resize(columns * static_cast<std::size_t>(grid.modes_y()));
  if (flow.processes().rank() != 0) return;
  const auto ny = static_cast<std::size_t>(grid.points[1]);
  rows_.resize(columns * ny);
  values_.resize(static_cast<std::size_t>(grid.points[0]) * ny);
}

const std::vector<double>& PointPlanes::read(const Complex* array, int plane, bool differentiated) {
  const Grid& grid = flow_.settings().grid;
  const std::int64_t columns = grid.modes_x();
  flow_.processes().gather(array, plane, {0, columns}, modes_.data());
  if (values_.empty()) return values_;
  transform_.along_y_to_points(modes_.data(), rows_.data(), columns, differentiated);
  const RowInput in[] = {{rows_.data()}};
  transform_.rows(plane, 0, grid.points[1], in, {},
                  [&](const RowGroup& group, Lanes* const* points, Lanes* const* /*out*/) {
                    for (int lane = 0; lane < group.rows; ++lane) {
                      const auto row = static_cast<std::size_t>(group.first_y + lane) *
                                       static_cast<std::size_t>(grid.points[0]);
                      for (int i = 0; i < grid.points[0]; ++i) {
                        values_[row + static_cast<std::size_t>(i)] = points[0][i][lane];
                      }
                    }
                  });
  return values_;
}

}  // namespace plait::boussinesq
