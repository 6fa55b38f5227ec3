// SPDX-License-Identifier: BSD-3-Clause
// Steps and derivatives of modes, column by column.
#include "columns.hpp"

#include <cmath>

namespace plait::boussinesq {
namespace {

PLAIT_EACH_VECTOR_LENGTH
void load_column(const Complex* from, std::int64_t stride, int count, int planes, Pair* to) {
  for (int i = 0; i < planes; ++i) to[i] = boussinesq::load(from + stride * i, count);
}
PLAIT_EACH_VECTOR_LENGTH
void store_column(const Pair* from, std::int64_t stride, int count, int planes, Complex* to) {
  for (int i = 0; i < planes; ++i) boussinesq::store(from[i], to + stride * i, count);
}

PLAIT_EACH_VECTOR_LENGTH
void add(double factor, const Pair* a, int planes, Pair* sum) {
  for (int i = 0; i < planes; ++i) sum[i] = sum[i] + factor * a[i];
}
PLAIT_EACH_VECTOR_LENGTH
void add_i(const Lanes& factor, const Pair* a, int planes, Pair* sum) {
  for (int i = 0; i < planes; ++i) sum[i] = sum[i] + times_i(factor, a[i]);
}
/// nu (second - k2 f).
PLAIT_EACH_VECTOR_LENGTH
void add_diffusion(double nu, const Lanes& k2, const Pair* second, const Pair* f, int planes,
                   Pair* sum) {
  for (int i = 0; i < planes; ++i) sum[i] = sum[i] + nu * (second[i] - k2 * f[i]);
}
PLAIT_EACH_VECTOR_LENGTH
void subtract_weighted(const double* weights, const Pair* a, int planes, Pair* sum) {
  for (int i = 0; i < planes; ++i) sum[i] = sum[i] - weights[i] * a[i];
}
/// i times `factor` times a.
PLAIT_EACH_VECTOR_LENGTH
void multiply_i(const Lanes& factor, const Pair* a, int planes, Pair* out) {
  for (int i = 0; i < planes; ++i) out[i] = times_i(factor, a[i]);
}
PLAIT_EACH_VECTOR_LENGTH
void scale(const Lanes& factor, int planes, Pair* a) {
  for (int i = 0; i < planes; ++i) a[i] = factor * a[i];
}

double smoothing_factor(int number, int largest) {
  return largest == 0 ? 1 : std::exp(-36 * std::pow(std::abs(number) / double(largest), 36));
}

}  // namespace

Columns::Columns(const Grid& grid, const Block& block, const Physics& physics, PoissonMethod method,
                 double filter_strength, bool gradients)
    : grid_(grid),
      block_(block),
      physics_(physics),
      gradients_(gradients),
      compact_(grid),
      projection_(grid, compact_, method) {
  compact_.set_filter(filter_strength);
}

ColumnGroup Columns::group(std::int64_t y, std::int64_t x) const {
  ColumnGroup group{};
  group.offset = y * block_.row() + x;
  group.count = static_cast<int>(std::min<std::int64_t>(lane_count, block_.row() - x));
  group.y = static_cast<int>(block_.y.first + y);
  group.ky = grid_.ky(group.y);
  for (int lane = 0; lane < lane_count; ++lane) {
    group.x[static_cast<std::size_t>(lane)] = static_cast<int>(block_.x.first + x + lane);
    group.kx[lane] = grid_.kx(static_cast<int>(block_.x.first + x + lane));
  }
  return group;
}

void Columns::load(const Complex* array, const ColumnGroup& group, Pair* column) const {
  load_column(array + group.offset, block_.plane(), group.count, block_.planes, column);
}

void Columns::store(const Pair* column, const ColumnGroup& group, Complex* array) const {
  store_column(column, block_.plane(), group.count, block_.planes, array + group.offset);
}

double Columns::diffusion_step(double largest_eddy_viscosity) const {
  const double kx = grid_.kx(grid_.modes_x() - 1), ky = grid_.ky(grid_.most_y());
  const double coefficient =
      std::max(physics_.viscosity, physics_.diffusivity) + largest_eddy_viscosity;
  return 0.5 / (coefficient * (kx * kx + ky * ky + compact_.largest_second()));
}

void Columns::tendency(const Arrays& arrays, const ColumnGroup& group, Pair* const* state,
                       Pair* const* f, Pair* a, Pair* b) const {
  const int n = block_.planes;
  const Lanes ky = all_lanes(group.ky), k2 = group.kx * group.kx + group.ky * group.ky;
  for (std::size_t c = 0; c < 3; ++c) load(arrays.products[c], group, f[c]);
  add(1, state[3], n, f[2]);
  // -div of the flux of b.
  load(arrays.products[5], group, a);
  compact_.first(Parity::even, a, f[3]);
  load(arrays.products[3], group, a);
  add_i(group.kx, a, n, f[3]);
  load(arrays.products[4], group, a);
  add_i(ky, a, n, f[3]);
  scale(all_lanes(-1), n, f[3]);
  subtract_weighted(physics_.stratification.data(), state[2], n, f[3]);
  for (std::size_t c = 0; c < state_count; ++c) {
    const double coefficient = c < 3 ? physics_.viscosity : physics_.diffusivity;
    if (coefficient == 0) continue;
    compact_.second(parities[c], state[c], a);
    add_diffusion(coefficient, k2, a, state[c], n, f[c]);
  }
  if (!gradients_) return;
  // The divergence of the stresses: numbers of xx, xy, xz and so on among the products.
  constexpr std::size_t stress[3][3] = {{6, 9, 10}, {9, 7, 11}, {10, 11, 8}};
  for (std::size_t c = 0; c < 3; ++c) {
    load(arrays.products[stress[c][0]], group, a);
    add_i(group.kx, a, n, f[c]);
    load(arrays.products[stress[c][1]], group, a);
    add_i(ky, a, n, f[c]);
    load(arrays.products[stress[c][2]], group, a);
    compact_.first(other(parities[c]), a, b);
    add(1, b, n, f[c]);
  }
}

void Columns::derive(const Arrays& arrays, const ColumnGroup& group, Pair* const* state,
                     Pair* out) const {
  const int n = block_.planes;
  const Lanes ky = all_lanes(group.ky), minus_kx = -group.kx, minus_ky = -ky;
  if (!gradients_) {
    compact_.first(Parity::even, state[1], out);
    scale(all_lanes(-1), n, out);
    add_i(ky, state[2], n, out);
    put(out, group, arrays, 0);
    compact_.first(Parity::even, state[0], out);
    add_i(minus_kx, state[2], n, out);
    put(out, group, arrays, 1);
    multiply_i(group.kx, state[1], n, out);
    add_i(minus_ky, state[0], n, out);
    put(out, group, arrays, 2);
    return;
  }
  int derived = 0;
  for (std::size_t c = 0; c < state_count; ++c) {
    multiply_i(group.kx, state[c], n, out);
    put(out, group, arrays, derived++);
    multiply_i(ky, state[c], n, out);
    put(out, group, arrays, derived++);
    if (c == 2) continue;  // dw/dz follows from the others
    compact_.first(parities[c], state[c], out);
    put(out, group, arrays, derived++);
  }
}

void Columns::smooth(const ColumnGroup& group, const Smoothing& smoothing, Pair* const* state,
                     Pair* scratch) const {
  Lanes factor = all_lanes(smoothing_factor(grid_.wave_number_y(group.y), grid_.most_y()));
  for (int lane = 0; lane < group.count; ++lane) {
    factor[lane] *= smoothing_factor(group.x[static_cast<std::size_t>(lane)], grid_.modes_x() - 1);
  }
  for (std::size_t c = 0; c < state_count; ++c) {
    if (smoothing.vertical) {
      compact_.filter(parities[c], state[c], scratch);
      std::copy(scratch, scratch + block_.planes, state[c]);
    }
    if (smoothing.horizontal) scale(factor, block_.planes, state[c]);
  }
}

void Columns::step(const Arrays& arrays, double now, double before, bool keep) const {
  const auto n = static_cast<std::size_t>(block_.planes);
  for_each([&](const ColumnGroup& group) {
    Pair* memory = thread_memory<Pair, column_use>((2 * state_count + 1) * n + scratch());
    std::array<Pair*, state_count> state{}, f{};
    for (std::size_t c = 0; c < state_count; ++c) {
      state[c] = memory + c * n;
      f[c] = memory + (state_count + c) * n;
      load(arrays.state[c], group, state[c]);
    }
    Pair* one = memory + 2 * state_count * n;
    Pair* rest = one + n;
    tendency(arrays, group, state.data(), f.data(), one, rest);
    for (std::size_t c = 0; c < state_count; ++c) {
      add(now, f[c], block_.planes, state[c]);
      if (before != 0) {
        load(arrays.tendency[c], group, one);
        add(before, one, block_.planes, state[c]);
      }
      if (keep) store(f[c], group, arrays.tendency[c]);
    }
    projection_.project(group.kx, group.ky, state[0], state[1], state[2], rest);
    for (std::size_t c = 0; c < state_count; ++c) store(state[c], group, arrays.state[c]);
    derive(arrays, group, state.data(), one);
  });
}

void Columns::smooth(const Arrays& arrays, const Smoothing& smoothing) const {
  const auto n = static_cast<std::size_t>(block_.planes);
  for_each([&](const ColumnGroup& group) {
    Pair* memory = thread_memory<Pair, column_use>((2 * state_count + 1) * n + scratch());
    std::array<Pair*, state_count> state{};
    for (std::size_t c = 0; c < state_count; ++c) {
      state[c] = memory + c * n;
      load(arrays.state[c], group, state[c]);
    }
    smooth(group, smoothing, state.data(), memory + state_count * n);
    for (std::size_t c = 0; c < state_count; ++c) store(state[c], group, arrays.state[c]);
  });
  project(arrays);
}

void Columns::project(const Arrays& arrays) const {
  const auto n = static_cast<std::size_t>(block_.planes);
  for_each([&](const ColumnGroup& group) {
    Pair* memory = thread_memory<Pair, column_use>((2 * state_count + 1) * n + scratch());
    std::array<Pair*, 3> u{memory, memory + n, memory + 2 * n};
    for (std::size_t c = 0; c < 3; ++c) load(arrays.state[c], group, u[c]);
    projection_.project(group.kx, group.ky, u[0], u[1], u[2], memory + 3 * n);
    for (std::size_t c = 0; c < 3; ++c) store(u[c], group, arrays.state[c]);
  });
  derive(arrays);
}

void Columns::derive(const Arrays& arrays) const {
  const auto n = static_cast<std::size_t>(block_.planes);
  for_each([&](const ColumnGroup& group) {
    Pair* memory = thread_memory<Pair, column_use>((2 * state_count + 1) * n + scratch());
    std::array<Pair*, state_count> state{};
    for (std::size_t c = 0; c < state_count; ++c) {
      state[c] = memory + c * n;
      load(arrays.state[c], group, state[c]);
    }
    derive(arrays, group, state.data(), memory + state_count * n);
  });
}

}  // namespace plait::boussinesq
