// SPDX-License-Identifier: BSD-3-Clause
// The boundary value problems: Laplace's and Poisson's equation on cubic cells, with known
// solutions for every kind of side.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "boundary.hpp"
#include "plait/box.hpp"

namespace plait::jacobi {

/// The problems; the names are those of --problem.
enum class ProblemKind {
  laplace,   ///< Laplace's equation; x^2 + y^2 - 2 z^2 between static sides, otherwise as harmonic
  harmonic,  ///< Laplace's equation; a product of sines, cosines and one hyperbolic cosine
  poisson,   ///< Poisson's equation; a product of sines and cosines
  given,     ///< the user's static values and right-hand side; no known solution
};

std::string to_string(ProblemKind kind);
/// @throws Error that lists the names
ProblemKind parse_problem(const std::string& name);
/// One entry per problem, for --problem list.
std::string problem_list();

/// One problem on one grid. Cells count from 0. The static value of a side belongs to the cell -1
/// or n beyond it, one cell width from the first or last cell, so x = (i + 1) h. The end of a
/// Neumann or periodic axis is at the outer face of the last cell, so x = (i + 1/2) h. The grid has
/// width 1 along x, which determines h.
class Problem {
public:
  /// @throws Error if the problem does not allow these sides
  Problem(ProblemKind kind, const Boundary& boundary, const Int3& cells, double source);

  [[nodiscard]] ProblemKind kind() const { return kind_; }
  [[nodiscard]] const Boundary& boundary() const { return boundary_; }
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] bool has_solution() const { return kind_ != ProblemKind::given; }
  /// True if a constant may be added to a solution. Distances are then taken between fields of zero
  /// mean.
  [[nodiscard]] bool up_to_a_constant() const { return !boundary_.any_fixed(); }
  /// True if there is a right-hand side given by a formula or a constant.
  [[nodiscard]] bool has_source() const { return source_factor_ != 0.0 || constant_source_ != 0.0; }

  /// The solution at a cell; -1 and n are allowed beyond static sides.
  [[nodiscard]] double solution(int i, int j, int k) const;
  /// h^2 f at a cell, where f is the Laplacian of u.
  [[nodiscard]] double source(int i, int j, int k) const;
  /// The static value beyond a side; the cell is outside the grid on one axis.
  [[nodiscard]] double side_value(int i, int j, int k) const;
  /// A first guess: noise in [0, 1) that depends only on the global cell. So every decomposition
  /// starts alike, and an exchange of wrong values shows.
  [[nodiscard]] double noise(int i, int j, int k) const;

private:
  void make_polynomial();
  void make_harmonic();
  void make_waves();
  [[nodiscard]] std::size_t at(int index) const { return static_cast<std::size_t>(index) + 1; }

  ProblemKind kind_;
  Boundary boundary_;
  Int3 cells_;
  double spacing_ = 1.0;
  bool sum_of_factors_ = false;  ///< the solution is X + Y - Z, otherwise X * Y * Z
  double source_factor_ = 0.0;   ///< h^2 f / u for products of waves
  double constant_source_ = 0.0;
  bool paired_noise_ = false;
  std::array<std::vector<double>, 3> factors_;  ///< X, Y and Z at the cells -1 to n
};

}  // namespace plait::jacobi
