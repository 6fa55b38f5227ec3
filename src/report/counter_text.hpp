// SPDX-License-Identifier: BSD-3-Clause
// Counts of events and the figures that follow from them, as text.
#pragma once

#include <optional>
#include <string>

#include "report/resources.hpp"

namespace plait::report {

/// "memory bandwidth of a node 5.00 GB/s, 25 % of 20.0 GB/s (STREAM triad, 8 threads)"
std::string figure_text(const DerivedFigure& figure);

/// The count outside and inside of MPI together; "-": not counted.
std::string count_text(std::optional<double> outside, std::optional<double> inside);

/// "12 %": of the event inside MPI; "-": not counted.
std::string inside_share(std::optional<double> outside, std::optional<double> inside);

}  // namespace plait::report
