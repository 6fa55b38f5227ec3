// SPDX-License-Identifier: BSD-3-Clause
// Transforms of horizontal planes between kept modes and points, first along y, then along x.
#pragma once

#include <functional>
#include <span>

#include "fft.hpp"
#include "grid.hpp"

namespace plait::boussinesq {

/// Eight rows of points of a plane: y = first_y + lane, as far as these are below `rows`.
struct RowGroup {
  int plane;  ///< global
  int first_y;
  int rows;
};

/// Computes at the points of a group of rows. Values are arrays of nx elements, one per field; a
/// kernel may overwrite its input. Several threads call it at the same time.
using RowKernel = std::function<void(const RowGroup& group, Lanes* const* in, Lanes* const* out)>;

class PlaneTransform {
public:
  explicit PlaneTransform(const Grid& grid);

  /// From modes_y() rows of modes to ny rows of points along y. Arrays have rows of `columns`
  /// numbers, which may be all of kx or a part.
  void along_y_to_points(const Complex* modes, Complex* points, std::int64_t columns) const;
  /// Back. The result of both ways is multiplied by ny and, along x, by nx: divided here.
  void along_y_to_modes(const Complex* points, Complex* modes, std::int64_t columns) const;

  /// Transforms rows along x to points, calls the kernel on groups of them, and transforms its
  /// output back.
  /// @param in   one array for each input, `rows` rows of modes_x() numbers
  /// @param out  the same for each output; may be those of the input
  void rows(int plane, int first_y, std::int64_t rows, std::span<const Complex* const> in,
            std::span<Complex* const> out, const RowKernel& kernel) const;

private:
  int nx_, ny_, modes_x_, modes_y_, most_y_;
  Fft along_y_;
  RealFft along_x_;
};

}  // namespace plait::boussinesq
