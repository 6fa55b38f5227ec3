// SPDX-License-Identifier: BSD-3-Clause
// Transforms of whole planes, and a single process.
#include "processes.hpp"

#include <algorithm>

#include "thread_memory.hpp"

namespace plait::boussinesq {
void slabs_at_points(const PlaneTransform& transform, const Grid& grid, const IndexRange& planes,
                     std::int64_t first_plane, const PlaneInputs& inputs,
                     std::span<const Complex* const> fields, std::span<Complex* const> results,
                     const RowKernel& kernel, const std::function<void()>& progress) {
  const std::int64_t columns = grid.modes_x(), rows = grid.points[1];
  const auto size = static_cast<std::size_t>(columns * rows);
  const std::size_t arrays = std::max(inputs.along_y.size(), results.size());
  Complex* memory = thread_memory<Complex, plane_use>(arrays * size);
  std::vector<Complex*> work(arrays);
  for (std::size_t f = 0; f < arrays; ++f) work[f] = memory + f * size;
  std::vector<RowInput> rows_in;
  for (const auto& [of, differentiated] : inputs.along_x) {
    rows_in.push_back({work[static_cast<std::size_t>(of)], differentiated});
  }
  for (auto z = planes.first; z < planes.last; ++z) {
    const std::int64_t start = z * columns * grid.modes_y();
    for (std::size_t f = 0; f < inputs.along_y.size(); ++f) {
      const auto& [of, differentiated] = inputs.along_y[f];
      transform.along_y_to_points(fields[static_cast<std::size_t>(of)] + start, work[f], columns,
                                  differentiated);
      if (progress) progress();
    }
    transform.rows(static_cast<int>(first_plane + z), 0, rows, rows_in,
                   {work.data(), results.size()}, kernel);
    for (std::size_t f = 0; f < results.size(); ++f) {
      transform.along_y_to_modes(work[f], results[f] + start, columns);
      if (progress) progress();
    }
  }
}

OneProcess::OneProcess(const Grid& grid, const PlaneInputs& inputs)
    : grid_(grid),
      inputs_(inputs),
      block_{{0, grid.modes_x()}, {0, grid.modes_y()}, grid.planes()},
      transform_(grid) {}

void OneProcess::at_points(std::span<const Complex* const> fields,
                           std::span<Complex* const> results, const RowKernel& kernel) {
  if (!kernel) return;
#pragma omp parallel for schedule(static)
  for (int z = 0; z < grid_.planes(); ++z) {
    slabs_at_points(transform_, grid_, {z, z + 1}, 0, inputs_, fields, results, kernel);
  }
}

void OneProcess::gather(const Complex* array, int plane, const IndexRange& x, Complex* all) {
  for (std::int64_t j = 0; j < block_.y.count(); ++j) {
    const Complex* row = array + plane * block_.plane() + j * block_.row();
    std::copy(row + x.first, row + x.last, all + j * x.count());
  }
}

void OneProcess::agree(const Error* error) {
  if (error != nullptr) throw CommonError(*error);
}

}  // namespace plait::boussinesq
