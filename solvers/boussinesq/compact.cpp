// SPDX-License-Identifier: BSD-3-Clause
// Compact differences and filters of sixth order along z.
#include "compact.hpp"

#include <cmath>
#include <cstddef>

namespace plait::boussinesq {
namespace {

/// The stencil at `in`, of which the weights are equal or opposite on both sides.
template <bool antisymmetric>
PLAIT_LANES_INLINE Pair stencil_at(const double* w, const Pair* in) {
  if constexpr (antisymmetric) {
    return w[1] * (in[1] - in[-1]) + w[2] * (in[2] - in[-2]);
  } else {
    const Pair sum = w[0] * in[0] + w[1] * (in[1] + in[-1]) + w[2] * (in[2] + in[-2]);
    return w[3] != 0 ? sum + w[3] * (in[3] + in[-3]) : sum;
  }
}

template <bool antisymmetric>
PLAIT_LANES_INLINE void eliminate(const double* w, const double* lower, const double* pivot,
                                  int rows, const Pair* in, Pair* x) {
  Pair last = pivot[0] * x[0];
  x[0] = last;
  for (int i = 1; i < 3; ++i) x[i] = last = pivot[i] * x[i] - lower[i] * last;
  for (int i = 3; i < rows - 3; ++i) {
    x[i] = last = pivot[i] * stencil_at<antisymmetric>(w, in + i) - lower[i] * last;
  }
  for (int i = rows - 3; i < rows; ++i) x[i] = last = pivot[i] * x[i] - lower[i] * last;
}

/// Elimination and substitution. The right-hand side of the first and last three rows is in `x`,
/// that of the others is a stencil of `in`, computed on the way.
PLAIT_EACH_VECTOR_LENGTH
void solve_rows(const double* w, double backward, const double* lower, const double* upper,
                const double* pivot, int rows, const Pair* in, Pair* x) {
  if (backward < 0) {
    eliminate<true>(w, lower, pivot, rows, in, x);
  } else {
    eliminate<false>(w, lower, pivot, rows, in, x);
  }
  Pair last = x[rows - 1];
  for (int i = rows - 2; i >= 0; --i) x[i] = last = x[i] - upper[i] * last;
}

/// A stencil in the first and last three rows of a column that is periodic or, with this sign,
/// mirrored.
PLAIT_EACH_VECTOR_LENGTH
void apply_at_ends(const double* w, double backward, bool periodic, double sign, int planes,
                   const Pair* in, Pair* out) {
  for (int k = 0; k < 6; ++k) {
    const int i = k < 3 ? k : planes - 6 + k;
    Pair sum = w[0] * in[i];
    for (int j = 1; j < 4; ++j) {
      const bool below = i - j < 0, above = i + j >= planes;
      const int low = !below ? i - j : periodic ? i - j + planes : j - i;
      const int high = !above ? i + j : periodic ? i + j - planes : 2 * (planes - 1) - i - j;
      const double low_sign = below && !periodic ? sign : 1;
      const double high_sign = above && !periodic ? sign : 1;
      sum = sum + w[j] * (high_sign * in[high] + backward * low_sign * in[low]);
    }
    out[i] = sum;
  }
}

/// The left-hand side of the first derivative, inside and at open ends.
constexpr double first_beside = 1.0 / 3;
constexpr Tridiagonal::Ends first_ends{2, 1.0 / 4};

}  // namespace

Tridiagonal::Tridiagonal(int rows, double beside, Closure closure, const Ends& ends)
    : closure_(closure), beside_(beside) {
  const auto n = static_cast<std::size_t>(rows);
  lower_.assign(n, beside);
  upper_.assign(n, beside);
  std::vector<double> diagonal(n, 1.0);
  lower_[0] = upper_[n - 1] = 0;
  if (closure == Closure::even) {
    upper_[0] = lower_[n - 1] = 2 * beside;
  } else if (closure == Closure::odd) {
    upper_[0] = lower_[n - 1] = 0;
  } else if (closure == Closure::open) {
    upper_[0] = lower_[n - 1] = ends[0];
    lower_[1] = upper_[1] = lower_[n - 2] = upper_[n - 2] = ends[1];
  } else {
    // The corners as an update of rank one, u v^T, with u = (-1, 0, ..., beside).
    diagonal[0] = 2;
    diagonal[n - 1] = 1 + beside * beside;
  }
  pivot_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    pivot_[i] = 1 / (diagonal[i] - (i > 0 ? lower_[i] * upper_[i - 1] : 0));
    upper_[i] *= pivot_[i];
  }
  for (std::size_t i = 0; i < n; ++i) lower_[i] *= pivot_[i];
  if (closure != Closure::periodic) return;
  std::vector<Pair> u(n);
  u[0].re[0] = -1;
  u[n - 1].re[0] = beside;
  const std::vector<Pair> nothing(n);
  constexpr double no_weights[4] = {};
  solve_rows(no_weights, 1, lower_.data(), upper_.data(), pivot_.data(), rows, nothing.data(),
             u.data());
  const double scale = 1 / (1 + u[0].re[0] - beside * u[n - 1].re[0]);
  for (const Pair& value : u) correction_.push_back(scale * value.re[0]);
}

void Tridiagonal::solve(const double* weights, double backward, const Pair* in, Pair* out) const {
  const auto rows = static_cast<int>(pivot_.size());
  if (closure_ == Closure::odd) out[0] = out[rows - 1] = Pair{};
  solve_rows(weights, backward, lower_.data(), upper_.data(), pivot_.data(), rows, in, out);
  if (closure_ != Closure::periodic) return;
  const Pair product = out[0] - beside_ * out[rows - 1];
  for (int i = 0; i < rows; ++i) {
    out[i] = out[i] - correction_[static_cast<std::size_t>(i)] * product;
  }
}

Compact::Stencil Compact::first_stencil(double scale) {
  const double a = 7.0 / 9 * scale, b = 1.0 / 36 * scale;
  return {{0, a, b, 0},
          true,
          {{{-5.0 / 2 * scale, 2 * scale, scale / 2},
            {-3.0 / 4 * scale, 0, 3.0 / 4 * scale},
            {-b, -a, 0, a, b}}}};
}

Compact::Stencil Compact::second_stencil(double scale) {
  const double a = 12.0 / 11 * scale, b = 3.0 / 44 * scale, c = 6.0 / 5 * scale;
  const double middle = -2 * (12.0 / 11 + 3.0 / 44) * scale;
  return {{middle, a, b, 0},
          false,
          {{{13 * scale, -27 * scale, 15 * scale, -scale}, {c, -2 * c, c}, {b, a, middle, a, b}}}};
}

Compact::Compact(const Grid& grid)
    : planes_(grid.planes()),
      periodic_(grid.periodic),
      open_(grid.no_slip),
      spacing_(grid.spacing(2)),
      first_(first_stencil(1 / spacing_)),
      second_(second_stencil(1 / (spacing_ * spacing_))),
      first_systems_(systems(first_beside, first_ends)),
      second_systems_(systems(2.0 / 11, {11, 1.0 / 10})),
      filter_systems_(systems(0, {0, 0})) {
  set_filter(0.49);
}

Compact::Systems Compact::systems(double beside, const Tridiagonal::Ends& ends) const {
  using Closure = Tridiagonal::Closure;
  const Closure same = periodic_ ? Closure::periodic : Closure::open;
  const bool mirrored = !periodic_ && !open_;
  return {Tridiagonal(planes_, beside, mirrored ? Closure::even : same, ends),
          Tridiagonal(planes_, beside, mirrored ? Closure::odd : same, ends)};
}

void Compact::set_filter(double a) {
  // Beside an open end, filters of second and fourth order, and none on the end (D. V. Gaitonde,
  // M. R. Visbal, AIAA Journal 38, 2000, 2103-2112).
  filter_ = {{(11 + 10 * a) / 16, (15 + 34 * a) / 64, (-3 + 6 * a) / 32, (1 - 2 * a) / 64},
             false,
             {{{1},
               {(1 + 2 * a) / 4, (1 + 2 * a) / 2, (1 + 2 * a) / 4},
               {(-1 + 2 * a) / 16, (1 + 2 * a) / 4, (5 + 6 * a) / 8, (1 + 2 * a) / 4,
                (-1 + 2 * a) / 16}}}};
  filter_systems_ = systems(a, {0, a});
}

Compact::Equation Compact::first_equation(int plane) const {
  const auto& w = first_.weights;
  if (open_ && plane > planes_ - 3) {
    const Equation mirrored = first_equation(planes_ - 1 - plane);
    Equation equation;
    for (std::size_t j = 0; j < 5; ++j) {
      equation.left[j] = mirrored.left[4 - j];
      equation.right[j] = -mirrored.right[4 - j];
    }
    return equation;
  }
  if (!open_ || plane > 1) {
    return {{0, first_beside, 1, first_beside, 0}, {-w[2], -w[1], 0, w[1], w[2]}};
  }
  const auto& end = first_.ends[static_cast<std::size_t>(plane)];
  if (plane == 0) return {{0, 0, 1, first_ends[0], 0}, {0, 0, end[0], end[1], end[2]}};
  return {{0, first_ends[1], 1, first_ends[1], 0}, {0, end[0], end[1], end[2], 0}};
}

void Compact::solve(const Stencil& stencil, const Systems& systems, Parity from, Parity to,
                    const Pair* in, Pair* out) const {
  if (open_) {
    apply_open_ends(stencil, in, out);
  } else {
    apply_at_ends(stencil.weights.data(), stencil.antisymmetric ? -1 : 1, periodic_,
                  from == Parity::even ? 1 : -1, planes_, in, out);
  }
  (to == Parity::even ? systems.even : systems.odd)
      .solve(stencil.weights.data(), stencil.antisymmetric ? -1 : 1, in, out);
}

void Compact::apply_open_ends(const Stencil& stencil, const Pair* in, Pair* out) const {
  for (int i = 0; i < 3; ++i) {
    const auto& weights = stencil.ends[static_cast<std::size_t>(i)];
    Pair low{}, high{};
    for (int j = 0; j < 5; ++j) {
      const double weight = weights[static_cast<std::size_t>(j)];
      low = low + weight * in[j];
      high = high + (stencil.antisymmetric ? -weight : weight) * in[planes_ - 1 - j];
    }
    out[i] = low;
    out[planes_ - 1 - i] = high;
  }
}

void Compact::first(Parity parity, const Pair* in, Pair* out) const {
  solve(first_, first_systems_, parity, other(parity), in, out);
}

void Compact::second(Parity parity, const Pair* in, Pair* out) const {
  solve(second_, second_systems_, parity, parity, in, out);
}

void Compact::filter(Parity parity, const Pair* in, Pair* out) const {
  solve(filter_, filter_systems_, parity, parity, in, out);
}

double Compact::first_wave_number(int m) const {
  const int cells = periodic_ ? planes_ : 2 * (planes_ - 1);
  const double t = 2 * std::numbers::pi * m / cells;
  const double sine = 2 * m == cells ? 0 : std::sin(t);
  // sin 2t = 2 sin t cos t keeps the value at t = pi exact.
  return sine * (14.0 / 9 + std::cos(t) / 9) / (1 + 2.0 / 3 * std::cos(t)) / spacing_;
}

}  // namespace plait::boussinesq
