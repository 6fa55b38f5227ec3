// SPDX-License-Identifier: BSD-3-Clause
// Pictures of a flow: the mean vorticity along x, or a field on a plane across an axis.
#pragma once

#include <optional>
#include <string>

#include "flow.hpp"

namespace plait::boussinesq {

/// A field on a plane of points.
struct Slice {
  /// A number of the state, or state_count: the vorticity along x.
  int field = 0;
  int axis = 0;    ///< across the plane
  int number = 0;  ///< of the plane
};

/// Writes a PPM picture of a slice, or of the mean along x of the vorticity along x: red where the
/// value is positive and blue where it is negative. The first axis that is left goes to the right,
/// the second one upwards. Collective.
void write_picture(const Flow& flow, const std::optional<Slice>& slice, const std::string& path);

}  // namespace plait::boussinesq
