// SPDX-License-Identifier: BSD-3-Clause
// A rank's fields and the values of their cells and ghosts.
#include "fields.hpp"

#include <algorithm>
#include <limits>

namespace plait::jacobi {
namespace {

/// The value of a ghost.
class GhostValue {
public:
  GhostValue(const CartesianGrid& grid, const Problem& problem) : grid_(grid), problem_(problem) {}

  double operator()(const Int3& cell) const {
    Int3 at = cell;
    int outside = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto d = static_cast<std::size_t>(axis);
      const int n = grid_.cells()[d];
      const Boundary& boundary = problem_.boundary();
      if (boundary.periodic(axis)) {
        at[d] = (cell[d] % n + n) % n;
      } else if (cell[d] < 0 || cell[d] >= n) {
        const SideCondition& side = cell[d] < 0 ? boundary.low(axis) : boundary.high(axis);
        if (!side.fixed()) return none;
        // The stencil reads only the first layer, at cells that are beyond one side.
        at[d] = std::clamp(cell[d], -1, n);
        ++outside;
      }
    }
    return outside == 1 ? problem_.side_value(at[0], at[1], at[2]) : none;
  }

private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const CartesianGrid& grid_;
  const Problem& problem_;
};

}  // namespace

void set_own(const CartesianGrid& grid, Field<double>& field, const CellValue& value) {
  const Box own = grid.own();
  const Int3 n = field.own_cells();
#pragma omp parallel for schedule(static)
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      double* row = field.row(j, k);
      for (int i = 0; i < n[0]; ++i) {
        row[i] = value(own.first[0] + i, own.first[1] + j, own.first[2] + k);
      }
    }
  }
}

void set_ghosts(const CartesianGrid& grid, const Problem& problem, Field<double>& field) {
  const GhostValue value(grid, problem);
  const Int3 first = grid.own().first;
  const Int3 n = field.own_cells();
  const Box all = field.with_ghosts();
  for (int k = all.first[2]; k < all.last[2]; ++k) {
    for (int j = all.first[1]; j < all.last[1]; ++j) {
      const bool own_row = j >= 0 && j < n[1] && k >= 0 && k < n[2];
      double* row = field.row(j, k);
      for (int i = all.first[0]; i < all.last[0]; ++i) {
        if (own_row && i == 0) i = n[0];
        row[i] = value({first[0] + i, first[1] + j, first[2] + k});
      }
    }
  }
}

}  // namespace plait::jacobi
