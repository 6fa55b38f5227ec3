// SPDX-License-Identifier: BSD-3-Clause
// The boundary value problems and their known solutions.
#include "problem.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "plait/error.hpp"

namespace plait::jacobi {
namespace {

/// One axis of the grid: the positions of its cells and the waves that fit its ends.
struct Axis {
  bool fixed_low = true;
  bool fixed_high = true;
  bool periodic = false;
  int cells = 1;

  /// Length in cells: a static end is one cell beyond the last cell, any other end at its face.
  [[nodiscard]] double length() const {
    return cells + (fixed_low ? 0.5 : 0.0) + (fixed_high ? 0.5 : 0.0);
  }
  [[nodiscard]] double position(int i) const { return i + (fixed_low ? 1.0 : 0.5); }
};

Axis axis_of(const Boundary& boundary, const Int3& cells, int axis) {
  return {boundary.low(axis).fixed(), boundary.high(axis).fixed(), boundary.periodic(axis),
          cells[static_cast<std::size_t>(axis)]};
}

/// A wave a sin(k x + phase), x from 0 to 1, without flux through the ends that allow none. Between
/// static ends any wave fits; this one does not vanish there.
struct Wave {
  double number;
  double phase;
};

Wave wave_of(const Axis& axis) {
  constexpr double pi = std::numbers::pi;
  if (axis.periodic) return {2.0 * pi, 0.0};
  if (axis.fixed_low && axis.fixed_high) return {2.0, 0.5};
  if (axis.fixed_low) return {0.5 * pi, 0.0};
  return {axis.fixed_high ? 0.5 * pi : pi, 0.5 * pi};
}

/// The wave at the cells -1 to n.
std::vector<double> wave_values(const Axis& axis) {
  const Wave wave = wave_of(axis);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(axis.cells) + 2);
  for (int i = -1; i <= axis.cells; ++i) {
    values.push_back(std::sin(wave.number * axis.position(i) / axis.length() + wave.phase));
  }
  return values;
}

/// Square of the wave number in units of the cell width.
double square_in_cells(const Axis& axis) {
  const double number = wave_of(axis).number / axis.length();
  return number * number;
}

/// cosh(a) / cosh(b), even if both overflow.
double cosh_ratio(double a, double b) {
  return std::exp(std::abs(a) - std::abs(b)) * (1.0 + std::exp(-2.0 * std::abs(a))) /
         (1.0 + std::exp(-2.0 * std::abs(b)));
}

}  // namespace

std::string to_string(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::laplace:
      return "laplace";
    case ProblemKind::harmonic:
      return "harmonic";
    case ProblemKind::poisson:
      return "poisson";
    case ProblemKind::given:
      return "given";
  }
  return "";
}

ProblemKind parse_problem(const std::string& name) {
  for (const ProblemKind kind :
       {ProblemKind::laplace, ProblemKind::harmonic, ProblemKind::poisson, ProblemKind::given}) {
    if (name == to_string(kind)) return kind;
  }
  throw Error("--problem " + name, "unknown problem",
              "use laplace, harmonic, poisson or given; --problem list describes them");
}

std::string problem_list() {
  return "laplace   Laplace's equation. Between static sides the solution is x^2 + y^2 - 2 z^2,\n"
         "          for which the stencil is exact; otherwise it is that of harmonic.\n"
         "harmonic  Laplace's equation. The solution is a product of two sines or cosines that\n"
         "          fit the sides and a hyperbolic cosine along an axis with a static side.\n"
         "poisson   Poisson's equation. The solution is a product of sines and cosines.\n"
         "given     Your own values: static sides from --boundary static=VALUE (static alone\n"
         "          means 0) and the right-hand side from --source. No solution is known.\n";
}

Problem::Problem(ProblemKind kind, const Boundary& boundary, const Int3& cells, double source)
    : kind_(kind), boundary_(boundary), cells_(cells) {
  spacing_ = 1.0 / axis_of(boundary, cells, 0).length();
  if (kind != ProblemKind::given && boundary.any_value()) {
    throw Error("--boundary " + boundary.text(),
                "--problem " + to_string(kind) + " takes the side values from its solution",
                "use --problem given, or static without a value");
  }
  // If every axis is periodic and even, Jacobi's method neither damps nor moves a chessboard
  // pattern (eigenvalue -1), so the noise must not contain it.
  paired_noise_ = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!boundary.periodic(static_cast<int>(axis)) || cells[axis] % 2 != 0) paired_noise_ = false;
  }
  switch (kind) {
    case ProblemKind::laplace:
      if (boundary.all_fixed()) {
        make_polynomial();
      } else {
        make_harmonic();
      }
      break;
    case ProblemKind::harmonic:
      make_harmonic();
      break;
    case ProblemKind::poisson:
      make_waves();
      break;
    case ProblemKind::given:
      constant_source_ = spacing_ * spacing_ * source;
      break;
  }
}

// The polynomial is harmonic and of second degree, so the 6-point stencil has no truncation error.
void Problem::make_polynomial() {
  sum_of_factors_ = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int i = -1; i <= cells_[axis]; ++i) {
      const double x = static_cast<double>(i + 1) / (cells_[0] + 1);
      factors_[axis].push_back(axis == 2 ? 2.0 * x * x : x * x);
    }
  }
}

// The squares of the three wave numbers must sum to zero, so one wave is hyperbolic. It needs an
// axis with a static side; without one, only constants solve Laplace's equation.
void Problem::make_harmonic() {
  int hyperbolic = 2;
  while (hyperbolic >= 0) {
    const Axis axis = axis_of(boundary_, cells_, hyperbolic);
    if (axis.fixed_low || axis.fixed_high) break;
    --hyperbolic;
  }
  double square = 0.0;
  for (int a = 0; a < 3; ++a) {
    const Axis axis = axis_of(boundary_, cells_, a);
    std::vector<double>& factor = factors_[static_cast<std::size_t>(a)];
    if (hyperbolic < 0) {
      factor.assign(static_cast<std::size_t>(axis.cells) + 2, 1.0);
    } else if (a != hyperbolic) {
      factor = wave_values(axis);
      square += square_in_cells(axis);
    }
  }
  if (hyperbolic < 0) return;
  const Axis axis = axis_of(boundary_, cells_, hyperbolic);
  const double number = std::sqrt(square);
  // Flat at the end without flux, at most 1 at the other end.
  const double flat_at = axis.fixed_high ? 0.0 : axis.length();
  for (int i = -1; i <= axis.cells; ++i) {
    factors_[static_cast<std::size_t>(hyperbolic)].push_back(
        cosh_ratio(number * (axis.position(i) - flat_at), number * axis.length()));
  }
}

void Problem::make_waves() {
  for (int a = 0; a < 3; ++a) {
    const Axis axis = axis_of(boundary_, cells_, a);
    factors_[static_cast<std::size_t>(a)] = wave_values(axis);
    source_factor_ -= square_in_cells(axis);
  }
}

double Problem::solution(int i, int j, int k) const {
  const double x = factors_[0][at(i)];
  const double y = factors_[1][at(j)];
  const double z = factors_[2][at(k)];
  return sum_of_factors_ ? x + y - z : x * y * z;
}

double Problem::source(int i, int j, int k) const {
  return source_factor_ != 0.0 ? source_factor_ * solution(i, j, k) : constant_source_;
}

double Problem::side_value(int i, int j, int k) const {
  if (has_solution()) return solution(i, j, k);
  const Int3 cell{i, j, k};
  for (int axis = 0; axis < 3; ++axis) {
    const int index = cell[static_cast<std::size_t>(axis)];
    if (index < 0) return boundary_.low(axis).value;
    if (index >= cells_[static_cast<std::size_t>(axis)]) return boundary_.high(axis).value;
  }
  return 0.0;
}

double Problem::noise(int i, int j, int k) const {
  const auto row = static_cast<std::uint64_t>(cells_[0]) + 2;
  const auto rows = static_cast<std::uint64_t>(cells_[1]) + 2;
  std::uint64_t bits =
      static_cast<std::uint64_t>((paired_noise_ ? i / 2 : i) + 1) +
      row * (static_cast<std::uint64_t>(j + 1) + rows * static_cast<std::uint64_t>(k + 1));
  // Vigna's splitmix64.
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  bits ^= bits >> 31U;
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

}  // namespace plait::jacobi
