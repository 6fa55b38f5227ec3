// SPDX-License-Identifier: BSD-3-Clause
// The result of a sweep as CSV.
#pragma once

#include <string>

#include "sweep/result.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// One line for each point: values, figure of merit with interval, speed-up, efficiencies, and why
/// it was not measured. Empty cells: unknown.
std::string sweep_to_csv(const Sweep& sweep, const SweepResult& result);

}  // namespace plait::sweep
