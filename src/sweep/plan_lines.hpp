// SPDX-License-Identifier: BSD-3-Clause
// The plan of a sweep as text: points, runs, time, what is left out and why.
#pragma once

#include <string>
#include <vector>

#include "sweep/sweep.hpp"

namespace plait::sweep {

/// "wall time", "GFLOPS from the output, larger is better", "time in region solve".
std::string figure_sentence(const Figure& figure);

/// The plan of what is left to do; at most 80 columns except for the first command.
std::vector<std::string> plan_lines(const Sweep& sweep);

}  // namespace plait::sweep
