// SPDX-License-Identifier: BSD-3-Clause
// Prints the results of a run as text.
#pragma once

#include <string>

#include "solve.hpp"

namespace plait::jacobi {

/// The configuration of a run, its speed relative to the bound, and its distance from the solution.
std::string report(const Result& result);

}  // namespace plait::jacobi
