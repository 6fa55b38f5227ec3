// SPDX-License-Identifier: BSD-3-Clause
// Reductions over all cells of a grid. Results do not depend on the number of threads and ranks,
// and may be fetched one step later.
#pragma once

#include <mpi.h>

#include <memory>

#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"

namespace plait {

// All fields hold doubles: a Field<double> or a view of the program's own array. A view of other
// elements is an Error, and so is a field with other extents than this rank's box.

/// Largest |a - b| over the own cells of all ranks; NaN if either field contains NaN. Uses all
/// OpenMP threads. Collective.
double max_change(const CartesianGrid& grid, const FieldView& a, const FieldView& b);

/// Sum of the own cells of all ranks, rounded once from the exact sum: the same bits for any number
/// of ranks and threads. Uses all OpenMP threads. Collective.
double exact_sum(const CartesianGrid& grid, const FieldView& field);
/// Sum of the squares of the own cells of all ranks: each square is rounded, their sum is exact.
/// Collective.
double exact_sum_of_squares(const CartesianGrid& grid, const FieldView& field);
/// Euclidean norm: the square root of exact_sum_of_squares(). Collective.
double norm(const CartesianGrid& grid, const FieldView& field);

/// A reduction that runs during the next sweep: start it, compute, then call get().
class PendingReduction {
public:
  PendingReduction();
  ~PendingReduction();
  PendingReduction(PendingReduction&&) noexcept;
  PendingReduction& operator=(PendingReduction&&) noexcept;
  /// True if a reduction has been started and its result has not been fetched.
  [[nodiscard]] bool pending() const;
  /// Lets MPI progress. Returns whether get() would return without waiting.
  bool test();
  /// The result. Waits until all ranks have started the reduction.
  /// @throws Error if none is pending
  double get();

private:
  friend PendingReduction start_max_change(const CartesianGrid&, const FieldView&,
                                           const FieldView&);
  struct State;
  std::unique_ptr<State> state_;
};

/// Starts max_change() without waiting for other ranks. The fields have been read on return.
/// Collective.
PendingReduction start_max_change(const CartesianGrid& grid, const FieldView& a,
                                  const FieldView& b);

}  // namespace plait
