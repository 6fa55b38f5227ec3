// SPDX-License-Identifier: BSD-3-Clause
// Initial states: vortex pairs, Taylor-Green vortices, internal waves, turbulence, currents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow.hpp"

namespace plait::boussinesq {

/// A pair of trailing vortices along x, which moves down if the circulation is positive.
struct VortexPair {
  double y = 0, z = 0;     ///< its middle
  double distance = 1;     ///< b0, of the two vortices
  double circulation = 1;  ///< of the vortex at larger y, as dw/dy - dv/dz; the other has its
                           ///< negative
  double core = 0.2;       ///< radius of the largest velocity
  double amplitude = 0;    ///< of a sine along x, at 45 degrees, opposite in both vortices
  int waves = 1;           ///< of that sine in the box

  /// w0 = circulation / (2 pi b0), the velocity of its descent, and t0 = b0 / w0.
  [[nodiscard]] double velocity() const;
  [[nodiscard]] double time() const { return distance / velocity(); }
};

/// Adds the velocities of Lamb-Oseen vortices, v = G / (2 pi r) (1 - exp(-1.25643 r^2 / core^2)),
/// with images along y (three periods on each side) and z.
void add_pairs(Flow& flow, const std::vector<VortexPair>& pairs);

/// u = sin x cos y cos z, v = -cos x sin y cos z, in units of the box: x = 2 pi x' / Lx, likewise
/// y; z = 2 pi z' / Lz if periodic, pi z' / Lz between lids. Plus a mean of b if periodic.
void add_taylor_green(Flow& flow);

/// A standing internal wave of one wave along x and `m` half waves along z between lids (waves if
/// periodic): w = amplitude cos kx sin mz, with u as continuity demands, b = 0.
void add_internal_wave(Flow& flow, double amplitude, int m);
/// Its frequency, with N^2 of the lowest plane.
double internal_wave_frequency(const Flow& flow, int m);

/// Random velocities with a spectrum k^4 exp(-2 (k / peak)^2) and a given root mean square of |u|.
/// They are functions of the seed and the wave numbers.
void add_turbulence(Flow& flow, double rms, double peak, std::uint64_t seed);

/// A current along x and y: two velocities for each plane.
void add_current(Flow& flow, const std::vector<std::array<double, 2>>& profile);

}  // namespace plait::boussinesq
