// SPDX-License-Identifier: BSD-3-Clause
// A rank's fields and the values of their cells and ghosts.
#pragma once

#include <functional>
#include <optional>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// The current iterate, the next or previous one, and the right-hand side if there is one.
struct Fields {
  Field<double> now;
  Field<double> next;
  std::optional<Field<double>> source;  ///< h^2 f

  [[nodiscard]] const Field<double>* source_or_null() const { return source ? &*source : nullptr; }
};

/// A value for a cell in global indices.
using CellValue = std::function<double(int i, int j, int k)>;

/// Sets the own cells with all OpenMP threads. Local.
void set_own(const CartesianGrid& grid, Field<double>& field, const CellValue& value);

/// Sets the ghosts: those beyond static sides to the side's values, all others to NaN, so that a
/// ghost that is never filled shows in the result. Local.
void set_ghosts(const CartesianGrid& grid, const Problem& problem, Field<double>& field);

}  // namespace plait::jacobi
