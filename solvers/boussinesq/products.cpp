// SPDX-License-Identifier: BSD-3-Clause
// Computes at the points: products of fields, stresses of the subgrid model, speeds.
#include "products.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "eddy_viscosity.hpp"

namespace plait::boussinesq {
namespace {

/// u x omega and u b of one row; the largest speed, and the sum of 0 * speed, which is not 0 if a
/// speed is not finite.
PLAIT_EACH_VECTOR_LENGTH
void multiply(int nx, const double* k, Lanes* const* in, const Lanes* const* vorticity,
              Lanes* const* out, Lanes* speeds) {
  Lanes largest{}, poison{};
  for (int i = 0; i < nx; ++i) {
    const Lanes u = in[0][i], v = in[1][i], w = in[2][i], b = in[3][i];
    const Lanes x = vorticity[0][i], y = vorticity[1][i], z = vorticity[2][i];
    out[0][i] = v * z - w * y;
    out[1][i] = w * x - u * z;
    out[2][i] = u * y - v * x;
    out[3][i] = u * b;
    out[4][i] = v * b;
    out[5][i] = w * b;
    const Lanes speed = k[0] * magnitude(u) + k[1] * magnitude(v) + k[2] * magnitude(w);
    largest = larger(largest, speed);
    poison += 0 * speed + 0 * b;
  }
  speeds[0] = largest;
  speeds[1] = poison;
}

/// The vorticity from the gradient, in its place: dw/dy - dv/dz and so on.
PLAIT_EACH_VECTOR_LENGTH
void curl(int nx, Lanes* const* in, Lanes* x, Lanes* y, Lanes* z) {
  for (int i = 0; i < nx; ++i) {
    const Lanes uy = in[5][i], uz = in[6][i], vx = in[7][i], vz = in[9][i], wx = in[10][i],
                wy = in[11][i];
    x[i] = wy - vz;
    y[i] = uz - wx;
    z[i] = vx - uy;
  }
}

/// Subtracts the subgrid model's flux of b, and writes its stresses. Returns the largest eddy
/// viscosity of each lane.
PLAIT_EACH_VECTOR_LENGTH
Lanes add_stresses(int nx, Subgrid subgrid, double width_square, double prandtl, Lanes* const* in,
                   Lanes* const* out) {
  constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  Lanes largest{};
  for (int i = 0; i < nx; ++i) {
    Gradient g;
    for (int n = 0; n < 8; ++n) g[n / 3][n % 3] = in[4 + n][i];
    g[2][2] = -g[0][0] - g[1][1];
    const Lanes viscosity =
        width_square * (subgrid == Subgrid::sigma ? sigma_viscosity(g) : smagorinsky_viscosity(g));
    largest = larger(largest, viscosity);
    const Lanes diffusivity = (1 / prandtl) * viscosity;
    for (int d = 0; d < 3; ++d) out[3 + d][i] = out[3 + d][i] - diffusivity * in[12 + d][i];
    for (int n = 0; n < 6; ++n) {
      const auto [row, column] = pairs[n];
      out[6 + n][i] = viscosity * (g[row][column] + g[column][row]);
    }
  }
  return largest;
}

}  // namespace

PlaneInputs plane_inputs(Subgrid subgrid) {
  constexpr int u = 0, v = 1, w = 2, b = 3, uz = 4, vz = 5, bz = 6, fields = 7;
  PlaneInputs inputs{fields, {}, {}};
  for (int f = 0; f < fields; ++f) inputs.along_y.push_back({f, false});
  if (subgrid == Subgrid::none) {
    inputs.along_x = inputs.along_y;
    return inputs;
  }
  constexpr int uy = 7, vy = 8, wy = 9, by = 10;
  for (const int f : {u, v, w, b}) inputs.along_y.push_back({f, true});
  for (const int f : {u, v, w, b}) inputs.along_x.push_back({f, false});
  const auto add_gradient = [&](int x, std::initializer_list<int> others) {
    inputs.along_x.push_back({x, true});
    for (const int other : others) inputs.along_x.push_back({other, false});
  };
  add_gradient(u, {uy, uz});
  add_gradient(v, {vy, vz});
  add_gradient(w, {wy});
  add_gradient(b, {by, bz});
  return inputs;
}

Products::Products(const Grid& grid, Subgrid subgrid, double prandtl)
    : subgrid_(subgrid),
      nx_(grid.points[0]),
      width_square_(std::pow(grid.spacing(0) * grid.spacing(1) * grid.spacing(2), 2.0 / 3)),
      prandtl_(prandtl),
      largest_kx_(grid.kx(grid.modes_x() - 1)),
      largest_ky_(grid.ky(grid.most_y())),
      largest_kz_(1.989 / grid.spacing(2)),
      records_(static_cast<std::size_t>(grid.planes())) {}

void Products::clear() {
  std::fill(records_.begin(), records_.end(), PlaneRecord{});
}

void Products::operator()(const RowGroup& group, Lanes* const* in, Lanes* const* out) {
  PlaneRecord& record = records_[static_cast<std::size_t>(group.plane)];
  const bool model = subgrid_ != Subgrid::none;
  // With a model, the arrays of stresses hold the vorticity first.
  if (model) curl(nx_, in, out[6], out[7], out[8]);
  Lanes speeds[2];
  const double k[3] = {largest_kx_, largest_ky_, largest_kz_};
  multiply(nx_, k, in, model ? out + 6 : in + 4, out, speeds);
  for (int lane = 0; lane < group.rows; ++lane) {
    record.speed = std::max(record.speed, speeds[0][lane]);
    if (speeds[1][lane] == 0 || record.not_finite >= 0) continue;
    for (int i = 0; i < nx_; ++i) {
      const double sum = in[0][i][lane] + in[1][i][lane] + in[2][i][lane] + in[3][i][lane];
      if (std::isfinite(sum)) continue;
      record.not_finite = i + static_cast<std::int64_t>(nx_) * (group.first_y + lane);
      break;
    }
  }
  if (!model) return;
  const Lanes viscosity = add_stresses(nx_, subgrid_, width_square_, prandtl_, in, out);
  for (int lane = 0; lane < lane_count; ++lane) {
    record.viscosity = std::max(record.viscosity, viscosity[lane]);
  }
}

}  // namespace plait::boussinesq
