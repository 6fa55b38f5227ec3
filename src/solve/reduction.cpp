// SPDX-License-Identifier: BSD-3-Clause
// Reductions over all cells of a grid: threads reduce rows, then one MPI reduction of integers
// combines the ranks. Integers make the result independent of the order.
#include "plait/reduction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "plait/error.hpp"
#include "solve/exact_sum.hpp"

namespace plait {
namespace {

void require_doubles(const CartesianGrid& grid, const FieldView& field) {
  if (field.element_bytes != sizeof(double)) {
    throw Error("reduction",
                "the field's elements have " + std::to_string(field.element_bytes) +
                    " bytes, but doubles have 8",
                "pass a Field<double> or a view of doubles");
  }
  if (field.own != grid.own_cells()) {
    throw Error("reduction", "the field's extents differ from this rank's box of the grid",
                "create the field with the grid or its own_cells()");
  }
}

/// Rows of own cells, counted along y, then z; distributed to threads as when first touched.
std::int64_t rows_of(const FieldView& field) {
  return std::int64_t{field.own[1]} * field.own[2];
}

const double* row_of(const FieldView& field, std::int64_t row) {
  return reinterpret_cast<const double*>(
      field.at(0, static_cast<int>(row % field.own[1]), static_cast<int>(row / field.own[1])));
}

/// Largest |a[i] - b[i]| as bits: the bits of non-negative numbers have the order of integers, and
/// NaN is above all numbers. (The result of MPI_MAX on NaN is undefined.)
std::uint64_t largest_change(const double* a, const double* b, int count) {
  double largest = 0;
  std::int64_t unordered = 0;
#pragma omp simd reduction(max : largest) reduction(| : unordered)
  for (int i = 0; i < count; ++i) {
    const double change = std::fabs(a[i] - b[i]);
    largest = change > largest ? change : largest;
    unordered |= change == change ? 0 : 1;  // only NaN differs from itself
  }
  return std::bit_cast<std::uint64_t>(unordered != 0 ? std::numeric_limits<double>::quiet_NaN()
                                                     : largest);
}

std::uint64_t own_change(const CartesianGrid& grid, const FieldView& a, const FieldView& b) {
  require_doubles(grid, a);
  require_doubles(grid, b);
  std::uint64_t largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (std::int64_t row = 0; row < rows_of(a); ++row) {
    largest = std::max(largest, largest_change(row_of(a, row), row_of(b, row), a.own[0]));
  }
  return largest;
}

/// Exact sum over all ranks. `transform(row, sum)` adds the values of a row to the sum of a thread.
template <class Transform>
double sum_of(const CartesianGrid& grid, const FieldView& field, const Transform& transform) {
  require_doubles(grid, field);
  solve::ExactSum sum;
#pragma omp parallel
  {
    solve::ExactSum of_thread;
#pragma omp for schedule(static) nowait
    for (std::int64_t row = 0; row < rows_of(field); ++row) {
      transform(std::span(row_of(field, row), static_cast<std::size_t>(field.own[0])), of_thread);
    }
    const solve::ExactSum::Words words = of_thread.words();
#pragma omp critical(plait_exact_sum)
    sum.add(words);
  }
  solve::ExactSum::Words words = sum.words();
  MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_INT64_T, MPI_SUM,
                grid.comm());
  solve::ExactSum total;
  total.add(words);
  return total.rounded();
}

}  // namespace

double max_change(const CartesianGrid& grid, const FieldView& a, const FieldView& b) {
  std::uint64_t largest = own_change(grid, a, b);
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_UINT64_T, MPI_MAX, grid.comm());
  return std::bit_cast<double>(largest);
}

double exact_sum(const CartesianGrid& grid, const FieldView& field) {
  return sum_of(grid, field,
                [](std::span<const double> row, solve::ExactSum& sum) { sum.add(row); });
}

double exact_sum_of_squares(const CartesianGrid& grid, const FieldView& field) {
  return sum_of(grid, field, [](std::span<const double> row, solve::ExactSum& sum) {
    std::array<double, 256> squares{};
    while (!row.empty()) {
      const auto part = row.first(std::min(row.size(), squares.size()));
      for (std::size_t i = 0; i < part.size(); ++i) squares[i] = part[i] * part[i];
      sum.add(std::span(squares).first(part.size()));
      row = row.subspan(part.size());
    }
  });
}

double norm(const CartesianGrid& grid, const FieldView& field) {
  return std::sqrt(exact_sum_of_squares(grid, field));
}

/// Buffers and request of the reduction. They stay in place when the PendingReduction is moved,
/// because MPI reads and writes them.
struct PendingReduction::State {
  std::uint64_t own = 0;
  std::uint64_t all = 0;
  MPI_Request request = MPI_REQUEST_NULL;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

PendingReduction::PendingReduction() = default;
PendingReduction::~PendingReduction() = default;
PendingReduction::PendingReduction(PendingReduction&&) noexcept = default;
PendingReduction& PendingReduction::operator=(PendingReduction&&) noexcept = default;

bool PendingReduction::pending() const {
  return state_ != nullptr;
}

bool PendingReduction::test() {
  if (!pending()) return true;
  int done = 0;
  MPI_Test(&state_->request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

double PendingReduction::get() {
  if (!pending()) {
    throw Error("reduction", "none has been started", "call start_max_change() before each get()");
  }
  MPI_Wait(&state_->request, MPI_STATUS_IGNORE);
  const double result = std::bit_cast<double>(state_->all);
  state_.reset();
  return result;
}

PendingReduction start_max_change(const CartesianGrid& grid, const FieldView& a,
                                  const FieldView& b) {
  PendingReduction reduction;
  reduction.state_ = std::make_unique<PendingReduction::State>();
  PendingReduction::State& state = *reduction.state_;
  state.own = own_change(grid, a, b);
  MPI_Iallreduce(&state.own, &state.all, 1, MPI_UINT64_T, MPI_MAX, grid.comm(), &state.request);
  return reduction;
}

}  // namespace plait
