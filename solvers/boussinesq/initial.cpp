// SPDX-License-Identifier: BSD-3-Clause
// Initial states: vortex pairs, Taylor-Green vortices, internal waves, turbulence, currents.
#include "initial.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "fft.hpp"
#include "measures.hpp"

namespace plait::boussinesq {
namespace {

constexpr double pi = std::numbers::pi;

/// u, v, w, b at a point.
using Point = std::array<double, state_count>;

/// Adds a function of x, y and z.
template <class Function>
void add_function(Flow& flow, const Function& function) {
  const Grid grid = flow.settings().grid;
  flow.set_points([&](const RowGroup& group, Lanes* const* /*in*/, Lanes* const* out) {
    const double z = grid.z(group.plane);
    for (int i = 0; i < grid.points[0]; ++i) {
      for (std::size_t c = 0; c < flow.arrays().products.size(); ++c) out[c][i] = Lanes{};
      for (int lane = 0; lane < group.rows; ++lane) {
        const Point point =
            function(grid.spacing(0) * i, grid.spacing(1) * (group.first_y + lane), z);
        for (std::size_t c = 0; c < state_count; ++c) out[c][i][lane] = point[c];
      }
    }
  });
  flow.ready();
}

/// Adds the velocity around a vortex at a distance of (y, z).
void add_vortex(double y, double z, double circulation, double core, Point& velocity) {
  // Where the derivative of the velocity vanishes: exp(a) = 1 + 2 a.
  constexpr double a = 1.2564312086261697;
  const double square = y * y + z * z;
  if (square == 0) return;
  const double factor = circulation / (2 * pi * square) * -std::expm1(-a * square / (core * core));
  velocity[1] -= factor * z;
  velocity[2] += factor * y;
}

std::uint64_t mix(std::uint64_t value) {
  // SplitMix64 (G. Steele and others, OOPSLA 2014).
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// A complex number of normal distribution that belongs to these numbers.
Complex random_number(std::uint64_t seed, int c, int x, int y, int z) {
  std::uint64_t state = seed;
  for (const int number : {c, x, y, z}) {
    state = mix(state ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
  }
  const auto uniform = [](std::uint64_t bits) {
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  };
  return std::polar(std::sqrt(-std::log(uniform(state))), 2 * pi * uniform(mix(state)));
}

}  // namespace

double VortexPair::velocity() const {
  return circulation / (2 * pi * distance);
}

void add_pairs(Flow& flow, const std::vector<VortexPair>& pairs) {
  const Grid grid = flow.settings().grid;
  constexpr int images_y = 3;
  const int images_z = grid.periodic ? 1 : 2;
  add_function(flow, [&](double x, double y, double z) {
    Point velocity{};
    for (const VortexPair& pair : pairs) {
      const double shift =
          pair.amplitude * std::sin(2 * pi * pair.waves * x / grid.lengths[0]) / std::sqrt(2.0);
      for (const double side : {-0.5, 0.5}) {
        const double y0 = pair.y + side * (pair.distance + 2 * shift);
        const double z0 = pair.z + shift;
        const double circulation = side > 0 ? pair.circulation : -pair.circulation;
        for (int j = -images_y; j <= images_y; ++j) {
          for (int k = -images_z; k <= images_z; ++k) {
            const double dy = y - y0 - j * grid.lengths[1];
            if (grid.periodic) {
              add_vortex(dy, z - z0 - k * grid.lengths[2], circulation, pair.core, velocity);
            } else {
              // The mirror images turn the other way.
              const double period = 2 * grid.lengths[2] * k;
              add_vortex(dy, z - z0 - period, circulation, pair.core, velocity);
              add_vortex(dy, z + z0 - period, -circulation, pair.core, velocity);
            }
          }
        }
      }
    }
    return velocity;
  });
}

void add_taylor_green(Flow& flow) {
  const Grid grid = flow.settings().grid;
  const double kx = grid.kx(1), ky = 2 * pi / grid.lengths[1];
  const double kz = (grid.periodic ? 2 : 1) * pi / grid.lengths[2];
  add_function(flow, [=](double x, double y, double z) {
    return Point{std::sin(kx * x) * std::cos(ky * y) * std::cos(kz * z),
                 -std::cos(kx * x) * std::sin(ky * y) * std::cos(kz * z), 0, 0};
  });
}

void add_internal_wave(Flow& flow, double amplitude, int m) {
  const Grid grid = flow.settings().grid;
  const double kx = grid.kx(1);
  const double kz = (grid.periodic ? 2 : 1) * pi * m / grid.lengths[2];
  add_function(flow, [=](double x, double /*y*/, double z) {
    return Point{-amplitude * kz / kx * std::sin(kx * x) * std::cos(kz * z), 0,
                 amplitude * std::cos(kx * x) * std::sin(kz * z), 0};
  });
}

double internal_wave_frequency(const Flow& flow, int m) {
  const Grid& grid = flow.settings().grid;
  const double kx = grid.kx(1);
  const double kz = (grid.periodic ? 2 : 1) * pi * m / grid.lengths[2];
  return kx * std::sqrt(flow.settings().physics.stratification.front() / (kx * kx + kz * kz));
}

void add_turbulence(Flow& flow, double rms, double peak, std::uint64_t seed) {
  const Grid grid = flow.settings().grid;
  const int planes = grid.planes();
  const Fft fft(grid.periodic ? planes : 2 * (planes - 1));
  const int length = fft.length(), highest = length / 3;
  const double unit_z = 2 * pi / (grid.periodic ? grid.lengths[2] : 2 * grid.lengths[2]);
  flow.add_columns([&](const ColumnGroup& group, Pair* const* out) {
    std::vector<Pair> memory(2 * static_cast<std::size_t>(length));
    const int y = grid.wave_number_y(group.y);
    for (std::size_t c = 0; c < 3; ++c) {
      std::fill(memory.begin(), memory.end(), Pair{});
      for (int lane = 0; lane < group.count; ++lane) {
        const int x = group.x[static_cast<std::size_t>(lane)];
        if (x == 0 && y == 0) continue;
        // The column of (0, -ky) is the conjugate of that of (0, ky).
        const bool conjugate = x == 0 && y < 0;
        for (int m = -highest; m <= highest; ++m) {
          const double kz = unit_z * m;
          const double k2 = group.kx[lane] * group.kx[lane] + group.ky * group.ky + kz * kz;
          // E(k) / k^2 is the energy of one mode.
          const double amplitude = std::sqrt(k2) * std::exp(-k2 / (peak * peak));
          // Between lids, the mirror image of a wave has the same amplitude, or its negative.
          const bool mirrored = !grid.periodic && m < 0;
          const Complex number =
              random_number(seed, static_cast<int>(c), x, conjugate ? -y : y, mirrored ? -m : m);
          const double sign = mirrored && parities[c] == Parity::odd ? -1 : 1;
          Pair& mode = memory[static_cast<std::size_t>((m + length) % length)];
          mode.re[lane] = sign * amplitude * number.real();
          mode.im[lane] = sign * amplitude * number.imag();
          if (m == 0 && !grid.periodic && parities[c] == Parity::odd) {
            mode.re[lane] = mode.im[lane] = 0;
          }
        }
      }
      const Pair* column = fft.transform(memory.data(), memory.data() + length, true);
      for (int z = 0; z < planes; ++z) {
        Pair value = column[z];
        // sin instead of i sin: between lids, the amplitude of an odd wave is real in this sense.
        if (!grid.periodic && parities[c] == Parity::odd) value = {value.im, -value.re};
        for (int lane = 0; lane < group.count; ++lane) {
          if (group.x[static_cast<std::size_t>(lane)] == 0 && y < 0) value.im[lane] *= -1;
        }
        out[c][z] = value;
      }
    }
  });
  flow.ready();
  const double energy = measure(flow).kinetic;
  if (energy > 0) flow.scale_velocity(rms / std::sqrt(2 * energy));
  flow.ready();
}

void add_current(Flow& flow, const std::vector<std::array<double, 2>>& profile) {
  flow.add_columns([&](const ColumnGroup& group, Pair* const* out) {
    if (group.y != 0 || group.x[0] != 0) return;
    for (std::size_t z = 0; z < profile.size(); ++z) {
      out[0][z].re[0] = profile[z][0];
      out[1][z].re[0] = profile[z][1];
    }
  });
  flow.ready();
}

}  // namespace plait::boussinesq
