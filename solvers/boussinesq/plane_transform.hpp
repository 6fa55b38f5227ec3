// SPDX-License-Identifier: BSD-3-Clause
// Transforms of horizontal planes between kept modes and points, first along y, then along x.
#pragma once

#include <functional>
#include <span>
#include <vector>

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

/// How the input of a kernel comes from fields of modes. Derivatives along y are taken before, and
/// those along x after the transform along y, so that only those along z travel to the planes.
struct PlaneInputs {
  struct Part {
    int of = 0;
    bool differentiated = false;  ///< along the axis of the transform
  };
  int fields = 0;
  std::vector<Part> along_y;  ///< of `fields`: what is transformed along y
  std::vector<Part> along_x;  ///< of `along_y`: what is then transformed along x, for the kernel
};

/// An input of PlaneTransform::rows(): rows of modes_x() numbers.
struct RowInput {
  const Complex* rows = nullptr;
  bool differentiated = false;  ///< along x
};

class PlaneTransform {
public:
  explicit PlaneTransform(const Grid& grid);

  /// From modes_y() rows of modes to ny rows of points along y. Arrays have rows of `columns`
  /// numbers, which may be all of kx or a part.
  /// @param differentiated  gives the derivative along y
  void along_y_to_points(const Complex* modes, Complex* points, std::int64_t columns,
                         bool differentiated = false) const;
  /// Back. The result of both ways is multiplied by ny and, along x, by nx: divided here.
  void along_y_to_modes(const Complex* points, Complex* modes, std::int64_t columns) const;

  /// Transforms rows along x to points, calls the kernel on groups of them, and transforms its
  /// output back.
  /// @param in   of each input, `rows` rows
  /// @param out  one array for each output, of such rows; may be those of the input
  void rows(int plane, int first_y, std::int64_t rows, std::span<const RowInput> in,
            std::span<Complex* const> out, const RowKernel& kernel) const;

private:
  int nx_, ny_, modes_x_, modes_y_, most_y_;
  Fft along_y_;
  RealFft along_x_;
  std::vector<double> kx_, ky_;  ///< of all modes
};

}  // namespace plait::boussinesq
