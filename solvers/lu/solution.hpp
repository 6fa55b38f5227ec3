// SPDX-License-Identifier: BSD-3-Clause
// Back substitution, and the scaled residual of HPL.
#pragma once

#include <vector>

#include "grid.hpp"
#include "problem.hpp"

namespace plait::lu {

/// Solves U x = y for a factored matrix, whose column N is y. Collective.
/// @return x, on every rank
std::vector<double> back_substitute(const ProcessGrid& grid, Matrix& matrix, int block);

/// ||A x - b|| / (eps (||A|| ||x|| + ||b||) N) with maximum norms and eps = 2^-53, for the original
/// matrix. Collective; the same on every rank. NaN if x is not finite.
double scaled_residual(const ProcessGrid& grid, Matrix& matrix, const std::vector<double>& x);

}  // namespace plait::lu
