// SPDX-License-Identifier: BSD-3-Clause
// Reductions over all cells of a grid: threads and ranks take part alike, no result depends on how
// many there are, and a result may be fetched a step later.
#pragma once

#include <mpi.h>

#include <memory>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait {

// Fields here hold doubles: a Field<double>, or a view of a program's own array; a view of other
// elements is an Error.

/// Largest |a - b| over the own cells of all ranks. All OpenMP threads; collective.
/// NaN in either field gives NaN.
double max_change(const CartesianGrid& grid, const FieldView& a, const FieldView& b);

/// Sum over all own cells, as if rounded once from the exact sum: the same bits for every number of
/// ranks and threads. All OpenMP threads; collective.
double exact_sum(const CartesianGrid& grid, const FieldView& field);
/// Sum of squares of all own cells, each square rounded, their sum exact.
double exact_sum_of_squares(const CartesianGrid& grid, const FieldView& field);
/// Euclidean norm: the square root of exact_sum_of_squares.
double norm(const CartesianGrid& grid, const FieldView& field);

/// A reduction that runs behind the next sweep: start, compute, then get().
class PendingReduction {
public:
  PendingReduction();
  ~PendingReduction();
  PendingReduction(PendingReduction&&) noexcept;
  PendingReduction& operator=(PendingReduction&&) noexcept;
  /// Whether one is under way whose result was not fetched.
  [[nodiscard]] bool pending() const;
  /// Lets MPI progress; true when get() will not wait.
  bool test();
  /// The result. Collective in effect: returns when all ranks have started.
  double get();

private:
  friend PendingReduction start_max_change(const CartesianGrid&, const FieldView&,
                                           const FieldView&);
  struct State;
  std::unique_ptr<State> state_;
};

/// Starts max_change() without waiting for other ranks: reads the fields before it returns.
PendingReduction start_max_change(const CartesianGrid& grid, const FieldView& a,
                                  const FieldView& b);

}  // namespace plait
