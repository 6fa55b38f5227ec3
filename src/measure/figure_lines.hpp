// SPDX-License-Identifier: BSD-3-Clause
// Figures 3.5 and 3.6 of Stengel 2010 as text: the points, and the verdict.
#pragma once

#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "measure/node_plan.hpp"

namespace plait::measure {

/// A verdict, and a table of the points of the figure: the time of both against the time of the
/// work (3.5) or the size of the message between nodes (3.6). At most 80 columns.
std::vector<std::string> figure_lines(const machine::Measured& measured, PlanFigure figure);

}  // namespace plait::measure
