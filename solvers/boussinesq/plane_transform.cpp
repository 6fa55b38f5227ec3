// SPDX-License-Identifier: BSD-3-Clause
// Transforms of horizontal planes between kept modes and points.
#include "plane_transform.hpp"

#include <algorithm>
#include <vector>

#include "thread_memory.hpp"

namespace plait::boussinesq {
namespace {

PLAIT_EACH_VECTOR_LENGTH
void load_row(const Complex* from, std::int64_t stride, int rows, int columns, Pair* to) {
  for (int i = 0; i < columns; ++i) to[i] = load(from + i, stride, rows);
}

PLAIT_EACH_VECTOR_LENGTH
void store_row(const Pair* from, std::int64_t stride, int rows, int columns, Complex* to) {
  for (int i = 0; i < columns; ++i) store(from[i], to + i, stride, rows);
}

PLAIT_EACH_VECTOR_LENGTH
void load_columns(const Complex* from, std::int64_t stride, int count, int lines, Pair* to) {
  for (int j = 0; j < lines; ++j) {
    prefetch(from + stride * j + lane_count);  // the next group
    to[j] = load(from + stride * j, count);
  }
}

PLAIT_EACH_VECTOR_LENGTH
void store_columns(const Pair* from, std::int64_t stride, int count, int lines, double factor,
                   Complex* to) {
  for (int j = 0; j < lines; ++j) store(factor * from[j], to + stride * j, count);
}

/// Multiplies each mode by i and its wave number.
PLAIT_EACH_VECTOR_LENGTH
void differentiate(const double* k, int count, Pair* modes) {
  for (int i = 0; i < count; ++i) modes[i] = times_i(all_lanes(k[i]), modes[i]);
}

}  // namespace

PlaneTransform::PlaneTransform(const Grid& grid)
    : nx_(grid.points[0]),
      ny_(grid.points[1]),
      modes_x_(grid.modes_x()),
      modes_y_(grid.modes_y()),
      most_y_(grid.most_y()),
      along_y_(ny_),
      along_x_(nx_, modes_x_) {
  for (int i = 0; i < modes_x_; ++i) kx_.push_back(grid.kx(i));
  for (int j = 0; j < modes_y_; ++j) ky_.push_back(grid.ky(j));
}

void PlaneTransform::along_y_to_points(const Complex* modes, Complex* points, std::int64_t columns,
                                       bool differentiated) const {
  Pair* line = thread_memory<Pair, line_use>(2 * static_cast<std::size_t>(ny_));
  for (std::int64_t i = 0; i < columns; i += lane_count) {
    const int count = static_cast<int>(std::min<std::int64_t>(lane_count, columns - i));
    load_columns(modes + i, columns, count, most_y_ + 1, line);
    std::fill(line + most_y_ + 1, line + ny_ - most_y_, Pair{});
    load_columns(modes + i + columns * (most_y_ + 1), columns, count, most_y_,
                 line + ny_ - most_y_);
    if (differentiated) {
      differentiate(ky_.data(), most_y_ + 1, line);
      differentiate(ky_.data() + most_y_ + 1, most_y_, line + ny_ - most_y_);
    }
    const Pair* result = along_y_.transform(line, line + ny_, true);
    store_columns(result, columns, count, ny_, 1, points + i);
  }
}

void PlaneTransform::along_y_to_modes(const Complex* points, Complex* modes,
                                      std::int64_t columns) const {
  Pair* line = thread_memory<Pair, line_use>(2 * static_cast<std::size_t>(ny_));
  const double factor = 1.0 / (static_cast<double>(nx_) * ny_);
  for (std::int64_t i = 0; i < columns; i += lane_count) {
    const int count = static_cast<int>(std::min<std::int64_t>(lane_count, columns - i));
    load_columns(points + i, columns, count, ny_, line);
    const Pair* result = along_y_.transform(line, line + ny_, false);
    store_columns(result, columns, count, most_y_ + 1, factor, modes + i);
    store_columns(result + ny_ - most_y_, columns, count, most_y_, factor,
                  modes + i + columns * (most_y_ + 1));
  }
}

void PlaneTransform::rows(int plane, int first_y, std::int64_t rows, std::span<const RowInput> in,
                          std::span<Complex* const> out, const RowKernel& kernel) const {
  const auto half = static_cast<std::size_t>(nx_ / 2);
  const std::size_t fields = in.size() + out.size();
  // A line of nx values is one of nx / 2 Pairs; transforms need another one, and one of modes.
  Pair* memory = thread_memory<Pair, kernel_use>((2 * fields + 1) * half);
  Pair* modes = memory + 2 * fields * half;
  std::vector<Lanes*> values(fields);
  for (std::size_t f = 0; f < out.size(); ++f) {
    values[in.size() + f] = &memory[2 * (in.size() + f) * half].re;
  }
  for (std::int64_t y = 0; y < rows; y += lane_count) {
    const int count = static_cast<int>(std::min<std::int64_t>(lane_count, rows - y));
    for (std::size_t f = 0; f < in.size(); ++f) {
      Pair* line = memory + 2 * f * half;
      load_row(in[f].rows + y * modes_x_, modes_x_, count, modes_x_, modes);
      if (in[f].differentiated) differentiate(kx_.data(), modes_x_, modes);
      values[f] = &along_x_.to_values(modes, line, line + half)->re;
    }
    kernel({plane, static_cast<int>(first_y + y), count}, values.data(), values.data() + in.size());
    for (std::size_t f = 0; f < out.size(); ++f) {
      Pair* line = memory + 2 * (in.size() + f) * half;
      along_x_.to_modes(line, line + half, modes);
      store_row(modes, modes_x_, count, modes_x_, out[f] + y * modes_x_);
    }
  }
}

}  // namespace plait::boussinesq
