// SPDX-License-Identifier: BSD-3-Clause
// Writes u, v, w and b at the points: HDF5 with an XDMF file, or raw doubles; and the vorticity
// along x, by modes.
#pragma once

#include <string>

#include "flow.hpp"

namespace plait::boussinesq {

/// Process 0 writes, plane by plane. HDF5 if `path` ends in .h5: datasets of z, y, x, and an XDMF
/// file of the same name, which ParaView opens. Otherwise raw doubles with x fastest, then y, z and
/// the field. Collective.
void write_fields(const Flow& flow, const std::string& path);

/// Throws if write_fields() cannot write such a file, before the long work. Local.
void check_field_format(const std::string& path);

/// The vorticity along x as the difference of arrays of modes.
struct VorticityArrays {
  const Complex* sum;
  bool sum_differentiated;  ///< along y
  const Complex* less;      ///< nullptr: nothing
};
VorticityArrays vorticity_along_x(const Flow& flow);

/// Mode `x` along x of the vorticity along x on process 0, at points of y: a row of ny values for
/// each plane. Mode 0 is the mean, and real. Collective.
std::vector<Complex> vorticity_mode(const Flow& flow, int x);

}  // namespace plait::boussinesq
