// SPDX-License-Identifier: BSD-3-Clause
// Computes at the points: products of fields, stresses of the subgrid model, speeds.
#pragma once

#include <string>
#include <vector>

#include "grid.hpp"
#include "plane_transform.hpp"

namespace plait::boussinesq {

enum class Subgrid { none, smagorinsky, sigma };

/// The largest speed of a plane, and the first point at which a value is not a number.
struct PlaneRecord {
  double speed = 0;      ///< |u| kx + |v| ky + |w| kz of the shortest waves kept, per second
  double viscosity = 0;  ///< largest eddy viscosity
  std::int64_t not_finite = -1;  ///< x + nx y
};

/// What travels for the nonlinear terms, and how it becomes their input. With a subgrid model, the
/// derived fields are du/dz, dv/dz and db/dz; without one, the vorticity.
PlaneInputs plane_inputs(Subgrid subgrid);

/// The nonlinear terms at points.
///
/// Without a subgrid model: in u, v, w, b and the vorticity; out u x omega and u b.
/// With one: in u, v, w, b, du/dx, du/dy, du/dz, dv/dx, ..., dw/dy (dw/dz follows), db/dx, db/dy,
/// db/dz; out u x omega, u b - kappa_t grad b, and 2 nu_t S as xx, yy, zz, xy, xz, yz.
class Products {
public:
  Products(const Grid& grid, Subgrid subgrid, double prandtl);

  [[nodiscard]] int outputs() const { return subgrid_ == Subgrid::none ? 6 : 12; }
  /// A RowKernel.
  void operator()(const RowGroup& group, Lanes* const* in, Lanes* const* out);

  /// Of all planes that were computed since clear().
  [[nodiscard]] const std::vector<PlaneRecord>& records() const { return records_; }
  void clear();

private:
  Subgrid subgrid_;
  int nx_;
  double width_square_;  ///< (dx dy dz)^(2/3)
  double prandtl_;
  double largest_kx_, largest_ky_, largest_kz_;
  std::vector<PlaneRecord> records_;
};

}  // namespace plait::boussinesq
