// SPDX-License-Identifier: BSD-3-Clause
// What a flow is measured by. Sums along a column have one order; sums of columns are exact.
#include "measures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "exact_sum.hpp"
#include "field_output.hpp"

namespace plait::boussinesq {
namespace {

enum Quantity { kinetic, potential, vorticity, scalar_gradient, flux, divergence, gradient, count };

using ColumnSums = std::array<Lanes, count>;

PLAIT_LANES_INLINE Lanes square(const Pair& a) {
  return a.re * a.re + a.im * a.im;
}

/// Adds the values of all groups, kept in an array by group, over all processes.
double exact(Processes& processes, const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.add(value);
  processes.sum(sum.digits());
  return sum.value();
}

/// All sums over z of one group of columns.
ColumnSums sums_of(const Flow& flow, const ColumnGroup& group) {
  const Columns& columns = flow.columns();
  const Grid& grid = columns.grid();
  const int n = grid.planes();
  const auto size = static_cast<std::size_t>(n);
  std::vector<Pair> memory(9 * size);
  std::array<Pair*, state_count> f{};
  std::array<Pair*, state_count> dz{};
  for (std::size_t c = 0; c < state_count; ++c) {
    f[c] = memory.data() + c * size;
    dz[c] = memory.data() + (state_count + c) * size;
    columns.load(flow.arrays().state[c], group, f[c]);
    columns.compact().first(parities[c], f[c], dz[c]);
  }
  Pair* div = memory.data() + 8 * size;
  columns.projection().divergence(group.kx, group.ky, f[0], f[1], f[2], div);
  const Lanes ky = all_lanes(group.ky), k2 = group.kx * group.kx + ky * ky;
  ColumnSums sums{};
  for (int z = 0; z < n; ++z) {
    const double weight = grid.weight(z);
    const double n2 = flow.settings().physics.stratification[static_cast<std::size_t>(z)];
    const Lanes speed = square(f[0][z]) + square(f[1][z]) + square(f[2][z]);
    sums[kinetic] += weight / 2 * speed;
    const Pair x = times_i(ky, f[2][z]) - dz[1][z], y = dz[0][z] - times_i(group.kx, f[2][z]),
               turn = times_i(group.kx, f[1][z]) - times_i(ky, f[0][z]);
    sums[vorticity] += weight * (square(x) + square(y) + square(turn));
    if (n2 > 0) {
      sums[potential] += weight / (2 * n2) * square(f[3][z]);
      sums[scalar_gradient] += weight / n2 * (k2 * square(f[3][z]) + square(dz[3][z]));
    }
    sums[flux] += weight * (f[2][z].re * f[3][z].re + f[2][z].im * f[3][z].im);
    sums[divergence] += weight * square(div[z]);
    sums[gradient] +=
        weight * (k2 * speed + square(dz[0][z]) + square(dz[1][z]) + square(dz[2][z]));
  }
  // Modes with kx > 0 are two, of which one is not kept.
  for (int lane = 0; lane < lane_count; ++lane) {
    const double modes = lane >= group.count                            ? 0
                         : group.x[static_cast<std::size_t>(lane)] == 0 ? 1
                                                                        : 2;
    for (Lanes& sum : sums) sum[lane] *= modes;
  }
  return sums;
}

/// The place of a group in lists of numbers for each column, with rows padded to whole groups.
std::size_t place_of(const Block& block, const ColumnGroup& group) {
  const std::int64_t row = group.offset / std::max<std::int64_t>(block.row(), 1);
  const std::int64_t padded = (block.row() + lane_count - 1) / lane_count * lane_count;
  return static_cast<std::size_t>(row * padded + group.offset - row * block.row());
}

std::size_t padded_columns(const Block& block) {
  return static_cast<std::size_t>((block.row() + lane_count - 1) / lane_count * lane_count *
                                  block.y.count());
}

/// Sets the amplitude of the wave of a vortex. A displacement (y, z) changes its vorticity by
/// -(y, z) . grad, of which the first moments are (y, z) times the circulation. Vorticity that is
/// farther away does not belong to the vortex, and would count by its distance.
/// @param values, mode  modes 0 and 1 of the vorticity
/// @param apart         distance of the vortices; they end at three quarters of it
void find_wave(const Grid& grid, const std::vector<Complex>& values,
               const std::vector<Complex>& mode, double sign, double apart, Vortex& vortex) {
  Complex along_y, along_z;
  double sum = 0;
  const int ny = grid.points[1];
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto j = static_cast<int>(i) % ny, plane = static_cast<int>(i) / ny;
    const double y = std::remainder(grid.spacing(1) * j - vortex.y, grid.lengths[1]);
    const double z = grid.z(plane) - vortex.z, value = sign * values[i].real();
    if (value <= 0 || std::hypot(y, z) > 0.75 * apart) continue;
    sum += value * grid.weight(plane);
    along_y += y * sign * grid.weight(plane) * mode[i];
    along_z += z * sign * grid.weight(plane) * mode[i];
  }
  if (sum > 0) vortex.wave = 2 * std::hypot(std::abs(along_y), std::abs(along_z)) / sum;
}

}  // namespace

Measures measure(const Flow& flow) {
  const Columns& columns = flow.columns();
  std::array<std::vector<double>, count> lists;
  for (auto& list : lists) list.resize(padded_columns(columns.block()));
  std::array<double, state_count> own_means{};
  columns.for_each([&](const ColumnGroup& group) {
    const ColumnSums sums = sums_of(flow, group);
    const std::size_t place = place_of(columns.block(), group);
    for (std::size_t quantity = 0; quantity < count; ++quantity) {
      for (std::size_t lane = 0; lane < lane_count; ++lane) {
        lists[quantity][place + lane] = sums[quantity][static_cast<int>(lane)];
      }
    }
    if (group.y != 0 || group.x[0] != 0) return;
    for (std::size_t c = 0; c < state_count; ++c) {
      std::vector<Pair> column(static_cast<std::size_t>(columns.grid().planes()));
      columns.load(flow.arrays().state[c], group, column.data());
      for (int z = 0; z < columns.grid().planes(); ++z) {
        own_means[c] += columns.grid().weight(z) * column[static_cast<std::size_t>(z)].re[0];
      }
    }
  });
  std::array<double, count> total{};
  Processes& processes = flow.processes();
  for (std::size_t q = 0; q < count; ++q) total[q] = exact(processes, lists[q]);
  Measures measures;
  for (std::size_t c = 0; c < state_count; ++c) measures.mean[c] = exact(processes, {own_means[c]});
  const Physics& physics = flow.settings().physics;
  measures.kinetic = total[kinetic];
  measures.potential = total[potential];
  measures.dissipation = physics.viscosity * total[vorticity];
  measures.scalar_dissipation = physics.diffusivity * total[scalar_gradient];
  measures.flux = total[flux];
  measures.divergence = total[gradient] > 0 ? std::sqrt(total[divergence] / total[gradient]) : 0;
  return measures;
}

std::vector<double> spectrum(const Flow& flow) {
  const Columns& columns = flow.columns();
  const Grid& grid = columns.grid();
  const double unit = std::min(grid.kx(1), 2 * std::numbers::pi / grid.lengths[1]);
  const double largest = std::hypot(grid.kx(grid.modes_x() - 1), grid.ky(grid.most_y())) / unit;
  std::vector<double> list(padded_columns(columns.block()));
  std::vector<int> bins(list.size(), -1);
  columns.for_each([&](const ColumnGroup& group) {
    const ColumnSums sums = sums_of(flow, group);
    const std::size_t place = place_of(columns.block(), group);
    for (int lane = 0; lane < group.count; ++lane) {
      const auto at = place + static_cast<std::size_t>(lane);
      list[at] = sums[kinetic][lane];
      bins[at] = static_cast<int>(std::lround(std::hypot(group.kx[lane], group.ky) / unit));
    }
  });
  std::vector<ExactSum> sums(static_cast<std::size_t>(std::lround(largest)) + 1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (bins[i] >= 0) sums[static_cast<std::size_t>(bins[i])].add(list[i]);
  }
  std::vector<double> energies;
  for (ExactSum& sum : sums) {
    flow.processes().sum(sum.digits());
    energies.push_back(sum.value() / unit);
  }
  return energies;
}

std::array<Vortex, 2> vortices(const Flow& flow) {
  const Grid& grid = flow.settings().grid;
  const int ny = grid.points[1];
  const std::vector<Complex> values = vorticity_mode(flow, 0);
  const bool waves = grid.modes_x() > 1;
  const std::vector<Complex> wave = waves ? vorticity_mode(flow, 1) : values;
  std::array<Vortex, 2> found{};
  for (const int n : {0, 1}) {
    Vortex& vortex = found[static_cast<std::size_t>(n)];
    const double sign = n == 0 ? 1 : -1;
    for (const Complex& value : values) {
      vortex.largest = std::max(vortex.largest, sign * value.real());
    }
    Complex turn;  // the mean angle: y is periodic
    double sum = 0, moment = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = sign * values[i].real();
      const auto j = static_cast<int>(i) % ny, z = static_cast<int>(i) / ny;
      const double part = value * grid.weight(z);
      if (value > 0) vortex.circulation += part;
      if (value <= vortex.largest / 3) continue;
      sum += part;
      moment += part * grid.z(z);
      turn += std::polar(part, 2 * std::numbers::pi * j / ny);
    }
    if (sum == 0) continue;
    const double angle = std::arg(turn);
    vortex.y = (angle < 0 ? angle / (2 * std::numbers::pi) + 1 : angle / (2 * std::numbers::pi)) *
               grid.lengths[1];
    vortex.z = moment / sum;
    vortex.circulation *= sign * grid.spacing(1) * grid.lengths[2];
    vortex.largest *= sign;
  }
  if (!waves) return found;
  const bool two = found[0].circulation != 0 && found[1].circulation != 0;
  const double apart = two ? std::hypot(std::remainder(found[0].y - found[1].y, grid.lengths[1]),
                                        found[0].z - found[1].z)
                           : std::numeric_limits<double>::infinity();
  for (const int n : {0, 1}) {
    find_wave(grid, values, wave, n == 0 ? 1 : -1, apart, found[static_cast<std::size_t>(n)]);
  }
  return found;
}

std::uint64_t array_hash(const Flow& flow, const Complex* array, std::uint64_t number) {
  const Block& block = flow.columns().block();
  const Grid& grid = flow.settings().grid;
  std::uint64_t total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int z = 0; z < block.planes; ++z) {
    for (std::int64_t i = 0; i < block.plane(); ++i) {
      const Complex& value = array[z * block.plane() + i];
      const std::int64_t y = block.y.first + i / block.row(), x = block.x.first + i % block.row();
      std::uint64_t hash =
          number + 4 * static_cast<std::uint64_t>((z * grid.modes_y() + y) * grid.modes_x() + x);
      for (const double part : {value.real(), value.imag()}) {
        // -0 and 0 are equal.
        hash = (hash ^ std::bit_cast<std::uint64_t>(part + 0.0)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
      }
      total += hash * 0x94d049bb133111ebU;
    }
  }
  return total;
}

std::uint64_t checksum(const Flow& flow) {
  std::uint64_t total = 0;
  for (std::size_t c = 0; c < state_count; ++c) {
    total += array_hash(flow, flow.arrays().state[c], c);
  }
  std::int64_t sum = std::bit_cast<std::int64_t>(total);
  flow.processes().sum({&sum, 1});
  return std::bit_cast<std::uint64_t>(sum);
}

}  // namespace plait::boussinesq
