// SPDX-License-Identifier: BSD-3-Clause
// Horizontal planes of a field at the points, one at a time, on process 0.
#pragma once

#include <vector>

#include "flow.hpp"

namespace plait::boussinesq {

class PointPlanes {
public:
  explicit PointPlanes(const Flow& flow);

  /// Values of a plane of modes at its points, rows of x one after the other; empty on other
  /// processes. Valid until the next call. Collective.
  /// @param array           of the flow
  /// @param differentiated  along y
  const std::vector<double>& read(const Complex* array, int plane, bool differentiated = false);

private:
  const Flow& flow_;
  PlaneTransform transform_;
  std::vector<Complex> modes_, rows_;
  std::vector<double> values_;
};

}  // namespace plait::boussinesq
