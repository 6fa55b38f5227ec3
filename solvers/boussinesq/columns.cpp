// SPDX-License-Identifier: BSD-3-Clause
// Steps and derivatives of modes, column by column.
#include "columns.hpp"

#include <cmath>

namespace plait::boussinesq {
namespace {

// Planes are too far apart for the processor to see by itself which numbers follow, so loops that
// read a column ask for the one that is read next.

/// @param ahead  distance of the column that is loaded next
PLAIT_EACH_VECTOR_LENGTH
void load_column(const Complex* from, std::int64_t ahead, std::int64_t stride, int count,
                 int planes, Pair* to) {
  for (int i = 0; i < planes; ++i) {
    prefetch(from + stride * i + ahead);
    to[i] = boussinesq::load(from + stride * i, count);
  }
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
/// The tendency of b from the derivative of its flux along z: -(f + i kx p + i ky q) - N^2 w.
PLAIT_EACH_VECTOR_LENGTH
void add_fluxes(const Lanes& kx, const Complex* p, const Lanes& ky, const Complex* q,
                std::int64_t ahead, std::int64_t stride, int count, const double* stratification,
                const Pair* w, int planes, Pair* f) {
  for (int i = 0; i < planes; ++i) {
    prefetch(p + stride * i + ahead);
    prefetch(q + stride * i + ahead);
    const Pair x = boussinesq::load(p + stride * i, count);
    const Pair y = boussinesq::load(q + stride * i, count);
    f[i] = -1.0 * (f[i] + times_i(kx, x) + times_i(ky, y)) - stratification[i] * w[i];
  }
}

/// How a field steps: by `now` times its tendency, and `before` times that of the step before.
struct Update {
  double now, before, viscosity;
  Lanes k2;
  bool keep;  ///< the tendency takes the place of that of the step before
};

/// @param second  second derivative of the field; unused without viscosity
/// @param f       the tendency without viscosity
PLAIT_EACH_VECTOR_LENGTH
void update(const Update& by, const Pair* f, const Pair* second, const Pair* field, int planes,
            std::int64_t ahead, std::int64_t stride, int count, Complex* tendency, Pair* to) {
  for (int i = 0; i < planes; ++i) {
    prefetch(tendency + stride * i + ahead);
    Pair sum = f[i];
    if (by.viscosity != 0) sum = sum + by.viscosity * (second[i] - by.k2 * field[i]);
    Pair next = field[i] + by.now * sum;
    if (by.before != 0) {
      next = next + by.before * boussinesq::load(tendency + stride * i, count);
    }
    if (by.keep) boussinesq::store(sum, tendency + stride * i, count);
    to[i] = next;
  }
}

/// A component of the vorticity along x or y: sign * derivative + i k w.
PLAIT_EACH_VECTOR_LENGTH
void store_curl(double sign, const Pair* derivative, const Lanes& k, const Pair* w, int planes,
                std::int64_t ahead, std::int64_t stride, int count, Complex* out) {
  for (int i = 0; i < planes; ++i) {
    prefetch(out + stride * i + ahead);
    boussinesq::store(sign * derivative[i] + times_i(k, w[i]), out + stride * i, count);
  }
}
/// That along z: i kx v - i ky u.
PLAIT_EACH_VECTOR_LENGTH
void store_turn(const Lanes& kx, const Pair* v, const Lanes& ky, const Pair* u, int planes,
                std::int64_t ahead, std::int64_t stride, int count, Complex* out) {
  for (int i = 0; i < planes; ++i) {
    prefetch(out + stride * i + ahead);
    boussinesq::store(times_i(kx, v[i]) - times_i(ky, u[i]), out + stride * i, count);
  }
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
  load_column(array + group.offset, group.ahead, block_.plane(), group.count, block_.planes,
              column);
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

std::size_t Columns::memory_size() const {
  const auto n = static_cast<std::size_t>(block_.planes);
  return (state_count + 1) * n + std::max(3 * n, projection_.scratch());
}

void Columns::buoyancy_tendency(const Arrays& arrays, const ColumnGroup& group, const Pair* w,
                                Pair* f, Pair* a) const {
  load(arrays.products[5], group, a);
  compact_.first(Parity::even, a, f);
  add_fluxes(group.kx, arrays.products[3] + group.offset, all_lanes(group.ky),
             arrays.products[4] + group.offset, group.ahead, block_.plane(), group.count,
             physics_.stratification.data(), w, block_.planes, f);
}

void Columns::velocity_tendency(const Arrays& arrays, const ColumnGroup& group, std::size_t c,
                                const Pair* b, Pair* f, Pair* a, Pair* derivative) const {
  const int n = block_.planes;
  load(arrays.products[c], group, f);
  if (c == 2) add(1, b, n, f);
  if (!gradients_) return;
  // The divergence of the stresses: numbers of xx, xy, xz and so on among the products.
  constexpr std::size_t stress[3][3] = {{6, 9, 10}, {9, 7, 11}, {10, 11, 8}};
  load(arrays.products[stress[c][0]], group, a);
  add_i(group.kx, a, n, f);
  load(arrays.products[stress[c][1]], group, a);
  add_i(all_lanes(group.ky), a, n, f);
  load(arrays.products[stress[c][2]], group, a);
  compact_.first(other(parities[c]), a, derivative);
  add(1, derivative, n, f);
}

void Columns::derive(const Arrays& arrays, const ColumnGroup& group, Pair* const* state,
                     Pair* out) const {
  const int n = block_.planes;
  if (!gradients_) {
    const Lanes ky = all_lanes(group.ky);
    const auto place = [&](std::size_t derived) { return arrays.derived[derived] + group.offset; };
    compact_.first(Parity::even, state[1], out);
    store_curl(-1, out, ky, state[2], n, group.ahead, block_.plane(), group.count, place(0));
    compact_.first(Parity::even, state[0], out);
    store_curl(1, out, -group.kx, state[2], n, group.ahead, block_.plane(), group.count, place(1));
    store_turn(group.kx, state[1], ky, state[0], n, group.ahead, block_.plane(), group.count,
               place(2));
    return;
  }
  std::size_t derived = 0;
  for (const std::size_t c : {0, 1, 3}) {  // dw/dz follows from the others
    compact_.first(parities[c], state[c], out);
    store(out, group, arrays.derived[derived++]);
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
    Pair* memory = thread_memory<Pair, column_use>(memory_size());
    std::array<Pair*, state_count> state{};
    for (std::size_t c = 0; c < state_count; ++c) {
      state[c] = memory + c * n;
      load(arrays.state[c], group, state[c]);
    }
    Pair* new_b = memory + state_count * n;
    Pair* rest = new_b + n;
    Pair *f = rest, *a = f + n, *derivative = a + n;
    const Lanes k2 = group.kx * group.kx + group.ky * group.ky;
    const auto advance = [&](std::size_t c, double viscosity, Pair* to) {
      if (viscosity != 0) compact_.second(parities[c], state[c], a);
      // Mirrored, b is odd and stays 0 at lids; the projection keeps the velocity at 0.
      if (grid_.no_slip) f[0] = f[n - 1] = a[0] = a[n - 1] = Pair{};
      update({now, before, viscosity, k2, keep}, f, a, state[c], block_.planes, group.ahead,
             block_.plane(), group.count, arrays.tendency[c] + group.offset, to);
    };
    buoyancy_tendency(arrays, group, state[2], f, a);
    advance(3, physics_.diffusivity, new_b);
    for (std::size_t c = 0; c < 3; ++c) {
      velocity_tendency(arrays, group, c, state[3], f, a, derivative);
      advance(c, physics_.viscosity, state[c]);
    }
    state[3] = new_b;
    projection_.project(group.kx, group.ky, state[0], state[1], state[2], rest);
    for (std::size_t c = 0; c < state_count; ++c) store(state[c], group, arrays.state[c]);
    derive(arrays, group, state.data(), rest);
  });
}

void Columns::smooth(const Arrays& arrays, const Smoothing& smoothing) const {
  const auto n = static_cast<std::size_t>(block_.planes);
  for_each([&](const ColumnGroup& group) {
    Pair* memory = thread_memory<Pair, column_use>(memory_size());
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
    Pair* memory = thread_memory<Pair, column_use>(memory_size());
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
    Pair* memory = thread_memory<Pair, column_use>(memory_size());
    std::array<Pair*, state_count> state{};
    for (std::size_t c = 0; c < state_count; ++c) {
      state[c] = memory + c * n;
      load(arrays.state[c], group, state[c]);
    }
    derive(arrays, group, state.data(), memory + state_count * n);
  });
}

}  // namespace plait::boussinesq
