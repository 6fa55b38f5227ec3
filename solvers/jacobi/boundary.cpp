// SPDX-License-Identifier: BSD-3-Clause
// The conditions at the six sides of the grid, as given by --boundary.
#include "boundary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numbers.hpp"
#include "plait/error.hpp"

namespace plait::jacobi {
namespace {

using Kind = SideCondition::Kind;

Error refusal(const std::string& text, const std::string& reason) {
  return {"--boundary " + text, reason,
          "use static, static=VALUE, neumann or periodic, once for all sides or as X,Y,Z, each "
          "optionally as LOW:HIGH"};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

SideCondition parse_side(const std::string& text, const std::string& whole) {
  if (text == "static") return {Kind::solution, 0.0};
  if (text == "neumann") return {Kind::neumann, 0.0};
  if (text == "periodic") return {Kind::periodic, 0.0};
  if (text.starts_with("static=")) {
    SideCondition side{Kind::value, 0.0};
    if (read_number(text.substr(7), side.value) && std::isfinite(side.value)) return side;
    throw refusal(whole, "'" + text.substr(7) + "' is not a finite number");
  }
  throw refusal(whole, "unknown side '" + text + "'");
}

std::string side_text(const SideCondition& side) {
  switch (side.kind) {
    case Kind::solution:
      return "static";
    case Kind::value:
      return "static=" + number_text(side.value);
    case Kind::neumann:
      return "neumann";
    case Kind::periodic:
      return "periodic";
  }
  return "";
}

}  // namespace

Boundary Boundary::parse(const std::string& text) {
  const std::vector<std::string> axes = split(text, ',');
  if (axes.size() != 1 && axes.size() != 3) throw refusal(text, "must have one axis or three");
  Boundary boundary;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<std::string> ends = split(axes[axes.size() == 1 ? 0 : axis], ':');
    if (ends.size() > 2) throw refusal(text, "an axis has two ends");
    SideCondition& low = boundary.sides_[2 * axis];
    SideCondition& high = boundary.sides_[2 * axis + 1];
    low = parse_side(ends.front(), text);
    high = parse_side(ends.back(), text);
    if ((low.kind == Kind::periodic) != (high.kind == Kind::periodic)) {
      throw refusal(text, "an axis must be periodic at both ends or at neither");
    }
  }
  return boundary;
}

std::string Boundary::text() const {
  std::array<std::string, 3> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string low = side_text(sides_[2 * axis]);
    const std::string high = side_text(sides_[2 * axis + 1]);
    axes[axis] = low == high ? low : low + ":" + high;
  }
  if (axes[0] == axes[1] && axes[1] == axes[2]) return axes[0];
  return axes[0] + "," + axes[1] + "," + axes[2];
}

bool Boundary::all_fixed() const {
  return std::all_of(sides_.begin(), sides_.end(), [](const auto& side) { return side.fixed(); });
}

bool Boundary::any_fixed() const {
  return std::any_of(sides_.begin(), sides_.end(), [](const auto& side) { return side.fixed(); });
}

bool Boundary::any_value() const {
  return std::any_of(sides_.begin(), sides_.end(),
                     [](const auto& side) { return side.kind == Kind::value; });
}

std::array<Side, 6> Boundary::sides() const {
  std::array<Side, 6> sides{};
  for (std::size_t s = 0; s < 6; ++s) {
    sides[s] = sides_[s].kind == Kind::neumann ? Side::mirror : Side::fixed;
  }
  return sides;
}

std::array<bool, 3> Boundary::periodic_axes() const {
  return {periodic(0), periodic(1), periodic(2)};
}

}  // namespace plait::jacobi
