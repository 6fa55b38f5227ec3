// SPDX-License-Identifier: BSD-3-Clause
// Adds the results of the probe between two ranks, or several pairs, to the figures of a path.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/measured.hpp"
#include "measure/probe_output.hpp"
#include "measure/probe_plan.hpp"
#include "measure/summarize.hpp"

namespace plait::measure {

/// Adds samples to the point of that size, or to a new point.
/// @param disturbed  of the samples (rounds.hpp)
template <class Point>
void append(std::vector<Point>& points, std::uint64_t bytes, machine::Statistic Point::*member,
            const std::vector<double>& samples, int disturbed) {
  Point* point = nullptr;
  for (Point& known : points) {
    if (known.bytes == bytes) point = &known;
  }
  if (point == nullptr) {
    points.emplace_back();
    point = &points.back();
    point->bytes = bytes;
  }
  std::vector<double> all = (point->*member).samples;
  all.insert(all.end(), samples.begin(), samples.end());
  point->*member = summarize(all, (point->*member).disturbed + disturbed);
  if constexpr (requires { point->bandwidth_gbs = 0.0; }) {
    point->bandwidth_gbs = bandwidth_gbs(static_cast<double>(bytes), (point->*member).median);
  }
}

/// Adds a cell of a point-to-point step to its path. Other kinds of steps are ignored.
/// @param pairs_at_once  for steps with several pairs
void add_to_path(machine::Path& path, StepKind kind, const ProbeCell& cell, int pairs_at_once);

/// Removes points of which a figure is missing because the probe had no time for it.
void remove_incomplete(machine::Path& path);

}  // namespace plait::measure
