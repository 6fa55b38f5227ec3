// SPDX-License-Identifier: BSD-3-Clause
// Computes at the points: products of fields, stresses of the subgrid model, speeds.
#include "products.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

double smagorinsky_viscosity(const double (&g)[3][3]) {
  constexpr double constant = 0.17;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double s = (g[i][j] + g[j][i]) / 2;
      square += 2 * s * s;
    }
  }
  return constant * constant * std::sqrt(square);
}

double sigma_viscosity(const double (&g)[3][3]) {
  constexpr double constant = 1.35;
  double m[3][3];  // g^T g, of which the singular values are roots
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m[i][j] = g[0][i] * g[0][j] + g[1][i] * g[1][j] + g[2][i] * g[2][j];
  }
  const double trace = m[0][0] + m[1][1] + m[2][2];
  if (!(trace > 0)) return 0;
  // The deviator keeps small differences of eigenvalues, which the paper's invariants lose.
  const double mean = trace / 3;
  const double a = m[0][0] - mean, b = m[1][1] - mean, c = m[2][2] - mean;
  const double xy = m[0][1], xz = m[0][2], yz = m[1][2];
  const double spread = std::sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6);
  if (!(spread > 0)) return 0;
  const double half_determinant =
      (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / 2;
  const double angle =
      std::acos(std::clamp(half_determinant / (spread * spread * spread), -1.0, 1.0)) / 3;
  const double first = mean + 2 * spread * std::cos(angle);
  const double third = mean + 2 * spread * std::cos(angle + 2 * std::numbers::pi / 3);
  const double second = 3 * mean - first - third;
  const double s1 = std::sqrt(std::max(first, 0.0)), s2 = std::sqrt(std::max(second, 0.0));
  // The product of all three is the determinant; the smallest value by itself is rounding.
  const double determinant = g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1]) -
                             g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0]) +
                             g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]);
  if (!(s1 * s2 > 0)) return 0;
  const double s3 = std::min(std::abs(determinant) / (s1 * s2), s2);
  return constant * constant * s3 * (s1 - s2) * (s2 - s3) / (s1 * s1);
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
  for (int i = 0; i < nx_; ++i) {
    for (int lane = 0; lane < lane_count; ++lane) add_stresses(in, out, i, lane, record);
  }
}

void Products::add_stresses(Lanes* const* in, Lanes* const* out, int i, int lane,
                            PlaneRecord& record) const {
  double g[3][3];
  for (int n = 0; n < 8; ++n) g[n / 3][n % 3] = in[4 + n][i][lane];
  g[2][2] = -g[0][0] - g[1][1];
  const double viscosity =
      width_square_ * (subgrid_ == Subgrid::sigma ? sigma_viscosity(g) : smagorinsky_viscosity(g));
  record.viscosity = std::max(record.viscosity, viscosity);
  for (int d = 0; d < 3; ++d) out[3 + d][i][lane] -= viscosity / prandtl_ * in[12 + d][i][lane];
  constexpr int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int n = 0; n < 6; ++n) {
    const auto [row, column] = pairs[n];
    out[6 + n][i][lane] = viscosity * (g[row][column] + g[column][row]);
  }
}

}  // namespace plait::boussinesq
