// SPDX-License-Identifier: BSD-3-Clause
// Weighted linear least squares with few coefficients, and their 95 % intervals.
#include "model/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace plait::model {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// The inverse of a symmetric positive definite matrix (Gauss-Jordan with pivots); empty: singular.
Matrix inverse(Matrix of) {
  constexpr double kSingular = 1e-12;  // of the largest entry of the row at the beginning
  const std::size_t n = of.size();
  Matrix result(n, std::vector<double>(n, 0));
  std::vector<double> scale(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    result[i][i] = 1;
    for (const double entry : of[i]) scale[i] = std::max(scale[i], std::abs(entry));
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(of[row][column]) > std::abs(of[pivot][column])) pivot = row;
    }
    if (std::abs(of[pivot][column]) <= kSingular * scale[pivot]) return {};
    std::swap(of[column], of[pivot]);
    std::swap(result[column], result[pivot]);
    std::swap(scale[column], scale[pivot]);
    const double divisor = of[column][column];
    for (std::size_t j = 0; j < n; ++j) {
      of[column][j] /= divisor;
      result[column][j] /= divisor;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const double factor = of[row][column];
      if (row == column || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        of[row][j] -= factor * of[column][j];
        result[row][j] -= factor * result[column][j];
      }
    }
  }
  return result;
}

double value_of(const Equation& equation, const std::vector<double>& coefficients) {
  double sum = 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * equation.terms[i];
  return sum;
}

}  // namespace

double student_t(std::size_t degrees_of_freedom) {
  constexpr double z = 1.959964;
  if (degrees_of_freedom <= 1) return 12.7062;
  if (degrees_of_freedom == 2) return 4.30265;
  const auto n = static_cast<double>(degrees_of_freedom);
  return z + (std::pow(z, 3) + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

LeastSquares least_squares(const std::vector<Equation>& equations) {
  LeastSquares result;
  if (equations.empty()) return result;
  const std::size_t terms = equations.front().terms.size();
  if (equations.size() < terms) return result;
  Matrix normal(terms, std::vector<double>(terms, 0));
  std::vector<double> right(terms, 0);
  for (const Equation& equation : equations) {
    const double weight = 1 / (equation.error * equation.error);
    for (std::size_t i = 0; i < terms; ++i) {
      right[i] += weight * equation.terms[i] * equation.y;
      for (std::size_t j = 0; j < terms; ++j) {
        normal[i][j] += weight * equation.terms[i] * equation.terms[j];
      }
    }
  }
  result.covariance = inverse(std::move(normal));
  if (result.covariance.empty()) return result;
  result.values.assign(terms, 0);
  for (std::size_t i = 0; i < terms; ++i) {
    for (std::size_t j = 0; j < terms; ++j) result.values[i] += result.covariance[i][j] * right[j];
  }
  result.degrees_of_freedom = equations.size() - terms;
  if (result.degrees_of_freedom == 0) return result;
  double chi2 = 0;
  for (const Equation& equation : equations) {
    chi2 += std::pow((equation.y - value_of(equation, result.values)) / equation.error, 2);
  }
  const double scatter = std::max(1.0, chi2 / static_cast<double>(result.degrees_of_freedom));
  for (std::vector<double>& row : result.covariance) {
    for (double& entry : row) entry *= scatter;
  }
  return result;
}

}  // namespace plait::model
