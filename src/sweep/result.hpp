// SPDX-License-Identifier: BSD-3-Clause
// The result of a sweep: speed-up, efficiency and cost of each point, the fitted laws, and the
// point to use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "model/scaling_laws.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A point that was measured.
struct PointResult {
  MedianInterval value;  ///< of the figure of merit; the range if there are too few runs
  double wall_s = 0;     ///< median
  /// Against the point of its series with the fewest cores; empty: no other number of cores.
  std::optional<double> speedup, efficiency, karp_flatt;
  std::string loses;  ///< the lowest efficiency: "load balance 71 %"; empty: none below 99 %
  Factors factors;    ///< medians over the runs
  double core_hours = 0;
  std::optional<double> node_bytes;  ///< median of the most memory of a node
  std::size_t series = 0;            ///< index in SweepResult::series
  std::size_t workload = 0;          ///< index in SweepResult::workloads
};

/// Points that differ only in their numbers of cores.
struct Series {
  std::string name;                 ///< "size=100"; empty: the only one
  std::vector<std::size_t> points;  ///< by cores
  std::vector<model::ScalingFit> fits;
};

/// Points with the same work.
struct Workload {
  std::string name;  ///< "size=100"; empty: the only one
  std::size_t best = 0;
  std::vector<std::size_t> like_best;  ///< points not clearly worse, the best among them
  std::size_t recommended = 0;         ///< that of `like_best` with the lowest cost
  std::optional<double> gain;          ///< of the best over the point with fewest cores
};

struct SweepResult {
  std::vector<std::optional<PointResult>> points;  ///< as Sweep::points; empty: not measured
  std::vector<Series> series;
  std::vector<Workload> workloads;
};

/// Computes the result from the runs so far.
SweepResult result_of(const Sweep& sweep);

}  // namespace plait::sweep
