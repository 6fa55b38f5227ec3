// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation with the compact derivative of the divergence, in the basis in which it is
// diagonal (S. Laizet, E. Lamballais, Journal of Computational Physics 228, 2009, 5989-6015), or as
// a banded system.
#include "projection.hpp"

#include <algorithm>
#include <cstdint>

namespace plait::boussinesq {
namespace {

PLAIT_EACH_VECTOR_LENGTH
void add_horizontal(const Lanes& kx, double ky, const Pair* u, const Pair* v, int planes,
                    Pair* sum) {
  const Lanes y = all_lanes(ky);
  for (int i = 0; i < planes; ++i) sum[i] = sum[i] + times_i(kx, u[i]) + times_i(y, v[i]);
}

PLAIT_EACH_VECTOR_LENGTH
void subtract_gradient(const Lanes& kx, double ky, const Pair* p, const Pair* dp, int planes,
                       Pair* u, Pair* v, Pair* w) {
  const Lanes y = all_lanes(ky);
  for (int i = 0; i < planes; ++i) {
    u[i] = u[i] - times_i(kx, p[i]);
    v[i] = v[i] - times_i(y, p[i]);
    w[i] = w[i] - dp[i];
  }
}

PLAIT_EACH_VECTOR_LENGTH
void divide(const Lanes& k2, const double* square_numbers, int length, Pair* modes) {
  for (int m = 0; m < length; ++m) {
    const Lanes factor =
        where_positive(k2, -1.0 / (static_cast<double>(length) * (k2 + square_numbers[m])));
    modes[m] = factor * modes[m];
  }
}

/// Systems of equations, one in each lane, with few entries beside the diagonal.
struct BandedSystems {
  static constexpr int beside = 5;              ///< entries on each side of the diagonal
  static constexpr int width = 3 * beside + 1;  ///< pivoting fills as many again on the right

  int size;
  Lanes* entries;  ///< row by row, `width` each
  Pair* right;     ///< right-hand side, then solution

  PLAIT_LANES_INLINE Lanes* row(int number) const { return entries + std::int64_t{width} * number; }
  void add(int number, int column, const Lanes& value) const {
    row(number)[column - number + beside] += value;
  }
};

/// Gaussian elimination with partial pivoting, in each lane by itself.
PLAIT_EACH_VECTOR_LENGTH
void solve_systems(const BandedSystems& systems) {
  constexpr int beside = BandedSystems::beside;
  const int size = systems.size;
  Pair* right = systems.right;
  for (int pivot = 0; pivot < size; ++pivot) {
    const int last_row = std::min(pivot + beside, size - 1);
    const int count = std::min(2 * beside, size - 1 - pivot) + 1;
    Lanes* own = systems.row(pivot) + beside;
    for (int number = pivot + 1; number <= last_row; ++number) {
      Lanes* row = systems.row(number) + beside - (number - pivot);
      const Lanes candidate = row[0], present = own[0];
      for (int c = 0; c < count; ++c) swap_where_larger(candidate, present, own[c], row[c]);
      swap_where_larger(candidate, present, right[pivot].re, right[number].re);
      swap_where_larger(candidate, present, right[pivot].im, right[number].im);
    }
    const Lanes inverse = 1.0 / own[0];
    own[0] = inverse;
    for (int number = pivot + 1; number <= last_row; ++number) {
      Lanes* row = systems.row(number) + beside - (number - pivot);
      const Lanes factor = row[0] * inverse;
      for (int c = 1; c < count; ++c) row[c] = row[c] - factor * own[c];
      right[number] = right[number] - factor * right[pivot];
    }
  }
  for (int number = size - 1; number >= 0; --number) {
    const Lanes* own = systems.row(number) + beside;
    Pair sum = right[number];
    for (int c = 1; c <= std::min(2 * beside, size - 1 - number); ++c) {
      sum = sum - own[c] * right[number + c];
    }
    right[number] = own[0] * sum;
  }
}

/// Elements for right-hand sides and entries.
std::size_t scratch_of_banded(int planes) {
  return static_cast<std::size_t>(planes) * (2 + BandedSystems::width);
}

}  // namespace

Projection::Projection(const Grid& grid, const Compact& compact, PoissonMethod method)
    : planes_(grid.planes()),
      open_(grid.no_slip),
      compact_(compact),
      method_(method),
      fft_(grid.periodic ? grid.planes() : 2 * (grid.planes() - 1)) {
  for (int m = 0; m < fft_.length(); ++m) {
    const double number = compact.first_wave_number(m);
    square_numbers_.push_back(number * number);
  }
}

void Projection::divergence(const Lanes& kx, double ky, const Pair* u, const Pair* v, const Pair* w,
                            Pair* out) const {
  compact_.first(Parity::odd, w, out);
  add_horizontal(kx, ky, u, v, planes_, out);
}

void Projection::project(const Lanes& kx, double ky, Pair* u, Pair* v, Pair* w,
                         Pair* scratch) const {
  const Lanes k2 = kx * kx + ky * ky;
  if (open_) clear_lids({u, v, w});
  divergence(kx, ky, u, v, w, scratch);
  const Pair* p = solve(k2, scratch);
  Pair* dp = p == scratch ? scratch + fft_.length() : scratch;
  compact_.first(Parity::even, p, dp);
  subtract_gradient(kx, ky, p, dp, planes_, u, v, w);
  if (open_) clear_lids({u, v, w});
  for (int lane = 0; lane < lane_count; ++lane) {
    if (k2[lane] > 0) continue;
    for (int i = 0; i < planes_; ++i) w[i].re[lane] = w[i].im[lane] = 0;
  }
}

void Projection::clear_lids(std::initializer_list<Pair*> columns) const {
  for (Pair* column : columns) column[0] = column[planes_ - 1] = Pair{};
}

std::size_t Projection::scratch() const {
  const auto length = static_cast<std::size_t>(fft_.length());
  return length + (method_ == PoissonMethod::cosine ? length : scratch_of_banded(planes_));
}

Pair* Projection::solve(const Lanes& k2, Pair* scratch) const {
  if (method_ == PoissonMethod::cosine) return solve_diagonal(k2, scratch);
  solve_banded(k2, scratch, scratch + fft_.length());
  return scratch;
}

Pair* Projection::solve_diagonal(const Lanes& k2, Pair* scratch) const {
  const int length = fft_.length();
  for (int i = planes_; i < length; ++i) scratch[i] = scratch[length - i];
  Pair* modes = fft_.transform(scratch, scratch + length, false);
  divide(k2, square_numbers_.data(), length, modes);
  return fft_.transform(modes, modes == scratch ? scratch + length : scratch, true);
}

void Projection::solve_banded(const Lanes& k2, Pair* f, Pair* scratch) const {
  const int last = planes_ - 1;
  // p_i is unknown 2 i, q_i = (D p)_i is unknown 2 i + 1.
  const BandedSystems systems{2 * planes_, &scratch[2 * planes_].re, scratch};
  std::fill_n(scratch, scratch_of_banded(planes_), Pair{});
  Lanes number = k2;
  for (int lane = 0; lane < lane_count; ++lane) {
    if (!(k2[lane] > 0)) number[lane] = 1;  // any system that has a solution
  }
  // A plane beyond a lid is the mirror image of one.
  const auto inside = [last](int i) { return i < 0 ? -i : i > last ? 2 * last - i : i; };
  for (int i = 0; i <= last; ++i) {
    const Compact::Equation equation = compact_.first_equation(i);
    for (int j = 0; j < 5; ++j) {
      const double left = equation.left[static_cast<std::size_t>(j)],
                   right = equation.right[static_cast<std::size_t>(j)];
      if (left == 0 && right == 0) continue;
      const int at = inside(i + j - 2), p = 2 * at, q = p + 1;
      const double odd = at == i + j - 2 ? 1 : -1;
      // k2 A p - B q = -A f, with A and B the two sides of the derivative. Without slip, gradients
      // are not subtracted at lids.
      if (!open_ || (at != 0 && at != last)) {
        systems.add(2 * i, p, left * number);
        systems.add(2 * i, q, all_lanes(-odd * right));
      }
      scratch[2 * i] = scratch[2 * i] - left * f[at];
      // A q - B p = 0; with slip, this is q = 0 at lids.
      systems.add(2 * i + 1, q, all_lanes(odd * left));
      systems.add(2 * i + 1, p, all_lanes(-right));
    }
  }
  solve_systems(systems);
  const Lanes keep = where_positive(k2, all_lanes(1));
  for (int i = 0; i <= last; ++i) f[i] = keep * scratch[2 * i];
}

}  // namespace plait::boussinesq
