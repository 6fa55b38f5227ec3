// SPDX-License-Identifier: BSD-3-Clause
// What a flow is measured by: energies, dissipation, divergence, spectrum, vortices, checksum. The
// same bits for any processes and threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flow.hpp"

namespace plait::boussinesq {

/// Means over the box.
struct Measures {
  double kinetic = 0;             ///< (u^2 + v^2 + w^2) / 2
  double potential = 0;           ///< b^2 / (2 N^2), of planes with N^2 > 0
  double dissipation = 0;         ///< viscosity times the square of the vorticity
  double scalar_dissipation = 0;  ///< diffusivity (grad b)^2 / N^2, of planes with N^2 > 0
  double flux = 0;                ///< w b
  double divergence = 0;          ///< root mean square, over that of the gradient of the velocity
  std::array<double, state_count> mean{};  ///< u, v, w, b
  [[nodiscard]] double total() const { return kinetic + potential; }
};

/// Collective.
Measures measure(const Flow& flow);

/// Kinetic energy by horizontal wave number, in bins of the smaller of 2 pi / Lx and 2 pi / Ly.
/// Collective.
std::vector<double> spectrum(const Flow& flow);

/// A vortex of the mean of the vorticity along x: of one sign.
struct Vortex {
  double circulation = 0;  ///< of all vorticity of that sign
  double y = 0, z = 0;     ///< centroid of what exceeds a third of the largest
  double largest = 0;      ///< vorticity
  double wave = 0;         ///< amplitude of the longest wave along x that displaces it, if small
};

/// The vortices of positive and negative vorticity, on process 0. Collective.
std::array<Vortex, 2> vortices(const Flow& flow);

/// A hash of all bits of the state. Collective.
std::uint64_t checksum(const Flow& flow);
/// A hash of the bits of one array and its place; sums of them do not depend on the order.
std::uint64_t array_hash(const Flow& flow, const Complex* array, std::uint64_t number);

}  // namespace plait::boussinesq
