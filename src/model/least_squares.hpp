// SPDX-License-Identifier: BSD-3-Clause
// Weighted linear least squares with few coefficients, and their 95 % intervals.
#pragma once

#include <cstddef>
#include <vector>

namespace plait::model {

/// One equation: y = sum of coefficients x terms, with the standard error of y.
struct Equation {
  std::vector<double> terms;
  double y = 0;
  double error = 1;  ///< > 0
};

/// The coefficients of the best solution.
struct LeastSquares {
  std::vector<double> values;
  /// Of the coefficients, row by row: multiplied by the factor by which the scatter exceeds the
  /// errors, if that is above 1.
  std::vector<std::vector<double>> covariance;
  std::size_t degrees_of_freedom = 0;
};

/// Student's t for a 95 % interval (Cornish-Fisher expansion, Abramowitz and Stegun 26.7.5; exact
/// for one and two degrees of freedom, where the expansion is not).
double student_t(std::size_t degrees_of_freedom);

/// Solves the normal equations.
/// @param equations  with equally many terms, at least one
/// @return no values when there are fewer equations than terms, or they do not determine all
LeastSquares least_squares(const std::vector<Equation>& equations);

}  // namespace plait::model
