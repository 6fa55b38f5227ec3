// SPDX-License-Identifier: BSD-3-Clause
// Compact differences and filters of sixth order along z.
#include "compact.hpp"

#include <cmath>
#include <cstddef>

namespace plait::boussinesq {
namespace {

PLAIT_EACH_VECTOR_LENGTH
void sweep(const double* lower, const double* upper, const double* pivot, int rows, Pair* x) {
  x[0] = pivot[0] * x[0];
  for (int i = 1; i < rows; ++i) x[i] = pivot[i] * (x[i] - lower[i] * x[i - 1]);
  for (int i = rows - 2; i >= 0; --i) x[i] = x[i] - upper[i] * x[i + 1];
}

/// A row of a stencil: `at[j]` and `sign[j]` for offsets j - 3.
struct Neighbours {
  int at[7];
  double sign[7];
};

Neighbours neighbours(int row, int planes, bool periodic, double mirror_sign) {
  Neighbours found{};
  for (int j = 0; j < 7; ++j) {
    int at = row + j - 3;
    found.sign[j] = 1;
    if (periodic) {
      at = (at + planes) % planes;
    } else if (at < 0 || at > planes - 1) {
      at = at < 0 ? -at : 2 * (planes - 1) - at;
      found.sign[j] = mirror_sign;
    }
    found.at[j] = at;
  }
  return found;
}

PLAIT_EACH_VECTOR_LENGTH
void apply_interior(const double* w, double backward, int planes, const Pair* in, Pair* out) {
  for (int i = 3; i < planes - 3; ++i) {
    out[i] = w[0] * in[i] + w[1] * (in[i + 1] + backward * in[i - 1]) +
             w[2] * (in[i + 2] + backward * in[i - 2]);
  }
  if (w[3] == 0) return;
  for (int i = 3; i < planes - 3; ++i) {
    out[i] = out[i] + w[3] * (in[i + 3] + backward * in[i - 3]);
  }
}

}  // namespace

Tridiagonal::Tridiagonal(int rows, double beside, Closure closure)
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
  if (closure != Closure::periodic) return;
  std::vector<Pair> u(n);
  u[0].re[0] = -1;
  u[n - 1].re[0] = beside;
  sweep(lower_.data(), upper_.data(), pivot_.data(), rows, u.data());
  const double scale = 1 / (1 + u[0].re[0] - beside * u[n - 1].re[0]);
  for (const Pair& value : u) correction_.push_back(scale * value.re[0]);
}

void Tridiagonal::solve(Pair* column) const {
  const auto rows = static_cast<int>(pivot_.size());
  if (closure_ == Closure::odd) column[0] = column[rows - 1] = Pair{};
  sweep(lower_.data(), upper_.data(), pivot_.data(), rows, column);
  if (closure_ != Closure::periodic) return;
  const Pair product = column[0] - beside_ * column[rows - 1];
  for (int i = 0; i < rows; ++i) {
    column[i] = column[i] - correction_[static_cast<std::size_t>(i)] * product;
  }
}

Compact::Compact(const Grid& grid)
    : planes_(grid.planes()),
      periodic_(grid.periodic),
      spacing_(grid.spacing(2)),
      first_{{0, 7.0 / 9 / spacing_, 1.0 / 36 / spacing_, 0}, true},
      second_{{-2 * (12.0 / 11 + 3.0 / 44) / (spacing_ * spacing_),
               12.0 / 11 / (spacing_ * spacing_), 3.0 / 44 / (spacing_ * spacing_), 0},
              false},
      first_systems_(systems(1.0 / 3)),
      second_systems_(systems(2.0 / 11)),
      filter_systems_(systems(0.0)) {
  set_filter(0.49);
}

Compact::Systems Compact::systems(double beside) const {
  using Closure = Tridiagonal::Closure;
  return {Tridiagonal(planes_, beside, periodic_ ? Closure::periodic : Closure::even),
          Tridiagonal(planes_, beside, periodic_ ? Closure::periodic : Closure::odd)};
}

void Compact::set_filter(double a) {
  filter_ = {{(11 + 10 * a) / 16, (15 + 34 * a) / 64, (-3 + 6 * a) / 32, (1 - 2 * a) / 64}, false};
  filter_systems_ = systems(a);
}

void Compact::apply(const Stencil& stencil, Parity parity, const Pair* in, Pair* out) const {
  const double backward = stencil.antisymmetric ? -1 : 1;
  const double* w = stencil.weights.data();
  const double mirror_sign = parity == Parity::even ? 1 : -1;
  apply_interior(w, backward, planes_, in, out);
  for (int k = 0; k < 6; ++k) {
    const int i = k < 3 ? k : planes_ - 6 + k;
    const Neighbours near = neighbours(i, planes_, periodic_, mirror_sign);
    Pair sum = w[0] * in[i];
    for (int j = 1; j < 4; ++j) {
      sum = sum + w[j] * (near.sign[3 + j] * in[near.at[3 + j]] +
                          backward * near.sign[3 - j] * in[near.at[3 - j]]);
    }
    out[i] = sum;
  }
}

void Compact::first(Parity parity, const Pair* in, Pair* out) const {
  apply(first_, parity, in, out);
  solve(first_systems_, other(parity), out);
}

void Compact::second(Parity parity, const Pair* in, Pair* out) const {
  apply(second_, parity, in, out);
  solve(second_systems_, parity, out);
}

void Compact::filter(Parity parity, const Pair* in, Pair* out) const {
  apply(filter_, parity, in, out);
  solve(filter_systems_, parity, out);
}

double Compact::first_wave_number(int m) const {
  const int cells = periodic_ ? planes_ : 2 * (planes_ - 1);
  const double t = 2 * std::numbers::pi * m / cells;
  const double sine = 2 * m == cells ? 0 : std::sin(t);
  // sin 2t = 2 sin t cos t keeps the value at t = pi exact.
  return sine * (14.0 / 9 + std::cos(t) / 9) / (1 + 2.0 / 3 * std::cos(t)) / spacing_;
}

}  // namespace plait::boussinesq
