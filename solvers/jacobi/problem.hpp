// SPDX-License-Identifier: BSD-3-Clause
// The boundary value problems: Laplace's and Poisson's equation on cubic cells, with solutions that
// are known for every kind of side.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "boundary.hpp"
#include "plait/box.hpp"

namespace plait::jacobi {

/// Which problem; the names are those of --problem.
enum class ProblemKind {
  laplace,   ///< Laplace's equation; x^2 + y^2 - 2 z^2 between static sides, else as harmonic
  harmonic,  ///< Laplace's equation; a product of sines, cosines and one hyperbolic cosine
  poisson,   ///< Poisson's equation; a product of sines and cosines
  given,     ///< the user's static values and right-hand side; no solution is known
};

std::string to_string(ProblemKind kind);
/// @throws Error that lists the names
ProblemKind parse_problem(const std::string& name);
/// A line for each problem, for --problem list.
std::string problem_list();

/// One problem on one grid. Cells are counted from 0; the static value of a side belongs to the
/// cell -1 or n beyond it, so that its distance to the first cell is that of two cells. The side
/// between two cells' faces is that of Neumann and periodic axes: x = (i + 1/2) h there, and
/// x = (i + 1) h behind a static side. The grid is 1 wide along x, which gives h.
class Problem {
public:
  /// @throws Error when the problem has no such sides
  Problem(ProblemKind kind, const Boundary& boundary, const Int3& cells, double source);

  [[nodiscard]] ProblemKind kind() const { return kind_; }
  [[nodiscard]] const Boundary& boundary() const { return boundary_; }
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] bool has_solution() const { return kind_ != ProblemKind::given; }
  /// Whether constants may be added to a solution: the distance is taken between fields of mean
  /// zero then.
  [[nodiscard]] bool up_to_a_constant() const { return !boundary_.any_fixed(); }
  /// Whether there is a right-hand side known by formula.
  [[nodiscard]] bool has_source() const { return source_factor_ != 0.0 || constant_source_ != 0.0; }

  /// The solution at a cell, -1 and n beyond static sides included.
  [[nodiscard]] double solution(int i, int j, int k) const;
  /// h^2 f at a cell, where the Laplacian of u is f.
  [[nodiscard]] double source(int i, int j, int k) const;
  /// The static value beyond a side; the cell lies outside the grid on one axis.
  [[nodiscard]] double side_value(int i, int j, int k) const;
  /// A first guess: noise in [0, 1) that depends on the global cell alone, so that every cut of the
  /// grid starts alike and an exchange of wrong values shows.
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
  bool sum_of_factors_ = false;  ///< X + Y - Z, else X * Y * Z
  double source_factor_ = 0.0;   ///< h^2 f / u of products of waves
  double constant_source_ = 0.0;
  bool paired_noise_ = false;
  std::array<std::vector<double>, 3> factors_;  ///< of each axis for the cells -1 to n
};

}  // namespace plait::jacobi
