// SPDX-License-Identifier: BSD-3-Clause
// The memory-bound share of a program's computation, from ranks that had unequal memory bandwidth.
#pragma once

#include <optional>
#include <vector>

namespace plait::placement {

/// Ranks that shared a memory: the bandwidth that each had, and how long they computed.
struct ComputePoint {
  double bandwidth_gbs = 0;  ///< per rank
  double compute_s = 0;      ///< mean
  double ranks = 1;          ///< weight of the point
};

/// The share m of compute time that waits for memory where a rank has the bandwidth B. A rank with
/// the bandwidth b computes C (1 - m + m B / b): the model of choose_placement(), fitted to the
/// points by least squares. It needs no hardware counters, but assumes that all ranks do the same
/// work. In [0, 1].
/// @param bandwidth_gbs  B
/// @returns nothing if the bandwidths of the points differ by less than 10 %
std::optional<double> memory_bound_share(const std::vector<ComputePoint>& points,
                                         double bandwidth_gbs);

}  // namespace plait::placement
