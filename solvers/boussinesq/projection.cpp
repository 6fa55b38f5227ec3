// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation with the compact derivative of the divergence, in the basis in which it is
// diagonal (S. Laizet, E. Lamballais, Journal of Computational Physics 228, 2009, 5989-6015), or as
// a banded system.
#include "projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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

/// A square system with few entries beside the diagonal, solved with partial pivoting.
class BandedSystem {
public:
  explicit BandedSystem(int size)
      : size_(size), entries_(static_cast<std::size_t>(size) * width_), right_(entries_.size()) {}

  void add(int row, int column, double value) { at(row, column) += value; }
  Complex& right(int row) { return right_[static_cast<std::size_t>(row)]; }

  /// Leaves the solution in right().
  void solve() {
    for (int pivot = 0; pivot < size_; ++pivot) {
      const int last_row = std::min(pivot + beside_, size_ - 1);
      int largest = pivot;
      for (int row = pivot + 1; row <= last_row; ++row) {
        if (std::abs(at(row, pivot)) > std::abs(at(largest, pivot))) largest = row;
      }
      const int last = std::min(pivot + 2 * beside_, size_ - 1);
      if (largest != pivot) {
        for (int c = pivot; c <= last; ++c) std::swap(at(pivot, c), at(largest, c));
        std::swap(right(pivot), right(largest));
      }
      for (int row = pivot + 1; row <= last_row; ++row) {
        const double factor = at(row, pivot) / at(pivot, pivot);
        if (factor == 0) continue;
        for (int c = pivot; c <= last; ++c) at(row, c) -= factor * at(pivot, c);
        right(row) -= factor * right(pivot);
      }
    }
    for (int row = size_ - 1; row >= 0; --row) {
      for (int c = row + 1; c <= std::min(row + 2 * beside_, size_ - 1); ++c) {
        right(row) -= at(row, c) * right(c);
      }
      right(row) /= at(row, row);
    }
  }

private:
  static constexpr int beside_ = 5;               // entries on each side of the diagonal
  static constexpr int width_ = 3 * beside_ + 1;  // pivoting fills as many again on the right

  double& at(int row, int column) {
    const int place = row * width_ + column - row + beside_;
    return entries_[static_cast<std::size_t>(place)];
  }

  int size_;
  std::vector<double> entries_;
  std::vector<Complex> right_;
};

}  // namespace

Projection::Projection(const Grid& grid, const Compact& compact, PoissonMethod method)
    : planes_(grid.planes()),
      periodic_(grid.periodic),
      spacing_(grid.spacing(2)),
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
  Pair* p = scratch;
  divergence(kx, ky, u, v, w, p);
  solve(k2, p, scratch + fft_.length());
  Pair* dp = scratch + fft_.length();
  compact_.first(Parity::even, p, dp);
  subtract_gradient(kx, ky, p, dp, planes_, u, v, w);
  for (int lane = 0; lane < lane_count; ++lane) {
    if (k2[lane] > 0) continue;
    for (int i = 0; i < planes_; ++i) w[i].re[lane] = w[i].im[lane] = 0;
  }
}

void Projection::solve(const Lanes& k2, Pair* f, Pair* scratch) const {
  if (method_ == PoissonMethod::cosine) {
    solve_diagonal(k2, f, scratch);
    return;
  }
  for (int lane = 0; lane < lane_count; ++lane) solve_banded(k2[lane], lane, f);
}

void Projection::solve_diagonal(const Lanes& k2, Pair* f, Pair* scratch) const {
  const int length = fft_.length();
  Pair* extended = scratch;
  std::copy(f, f + planes_, extended);
  for (int i = planes_; i < length; ++i) extended[i] = f[length - i];
  Pair* modes = fft_.transform(extended, scratch + length, false);
  divide(k2, square_numbers_.data(), length, modes);
  const Pair* p = fft_.transform(modes, modes == scratch ? scratch + length : scratch, true);
  std::copy(p, p + planes_, f);
}

void Projection::solve_banded(double k2, int lane, Pair* f) const {
  const int last = planes_ - 1;
  if (!(k2 > 0)) {
    for (int i = 0; i <= last; ++i) f[i].re[lane] = f[i].im[lane] = 0;
    return;
  }
  BandedSystem system(2 * planes_);  // p_i is unknown 2 i, q_i = (D p)_i is 2 i + 1
  // Adds a factor of p (even) or q (odd) on plane i, which may be beyond a lid.
  const auto add = [&](int row, int i, bool odd, double factor) {
    const bool outside = i < 0 || i > last;
    const int mirrored = i < 0 ? -i : i > last ? 2 * last - i : i;
    system.add(row, 2 * mirrored + (odd ? 1 : 0), outside && odd ? -factor : factor);
  };
  const auto value = [&](int i) {
    const int mirrored = i < 0 ? -i : i > last ? 2 * last - i : i;
    return Complex(f[mirrored].re[lane], f[mirrored].im[lane]);
  };
  for (int i = 0; i <= last; ++i) {
    // k2 A p - B q = -A f, with A and B the two sides of the compact derivative.
    for (const int j : {-1, 1}) add(2 * i, i + j, false, k2 / 3);
    add(2 * i, i, false, k2);
    for (const int j : {-1, 1}) {
      add(2 * i, i + j, true, -j * 7.0 / 9 / spacing_);
      add(2 * i, i + 2 * j, true, -j / 36.0 / spacing_);
    }
    system.right(2 * i) = -(value(i - 1) + 3.0 * value(i) + value(i + 1)) / 3.0;
    // A q - B p = 0; at lids, q = 0.
    add(2 * i + 1, i, true, 1);
    if (i == 0 || i == last) continue;
    for (const int j : {-1, 1}) {
      add(2 * i + 1, i + j, true, 1.0 / 3);
      add(2 * i + 1, i + j, false, -j * 7.0 / 9 / spacing_);
      add(2 * i + 1, i + 2 * j, false, -j / 36.0 / spacing_);
    }
  }
  system.solve();
  for (int i = 0; i <= last; ++i) {
    f[i].re[lane] = system.right(2 * i).real();
    f[i].im[lane] = system.right(2 * i).imag();
  }
}

}  // namespace plait::boussinesq
