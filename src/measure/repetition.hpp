// SPDX-License-Identifier: BSD-3-Clause
// Plans which parts of a measurement are repeated because their figures are unusable.
#pragma once

#include <cstddef>
#include <set>
#include <utility>

#include "machine/measured.hpp"
#include "measure/mpi_part.hpp"

namespace plait::measure {

/// A kind of step of the probe on the path with this index.
using PathStep = std::pair<std::size_t, StepKind>;

/// The parts that measure the unusable figures.
struct Repetition {
  int figures = 0;                   ///< unusable figures that can be measured again
  std::set<int> cores;               ///< numbers of cores, for STREAM and P(k)
  std::set<std::size_t> bare_paths;  ///< indices of paths, for copies between cores
  std::set<PathStep> steps;          ///< for messages

  [[nodiscard]] bool empty() const { return figures == 0; }
};

/// The parts that measured the unusable figures of this node (not those between nodes).
Repetition plan_repetition(const machine::Measured& measured);

/// The plan with only these steps, which take `seconds` in total.
MpiPlan only(const MpiPlan& plan, const std::set<PathStep>& steps, double seconds);

}  // namespace plait::measure
