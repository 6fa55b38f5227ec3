// SPDX-License-Identifier: BSD-3-Clause
// Counts of events and the figures that follow from them, as text.
#include "report/counter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::report {

std::string figure_text(const DerivedFigure& figure) {
  const std::string unit = figure.unit.empty() ? "" : " " + figure.unit;
  std::string text = fmt::format("{} {}{}", figure.name, format_number(figure.value), unit);
  if (figure.bound && *figure.bound > 0) {
    text += fmt::format(", {} of {}{} ({})", format_percent(figure.value / *figure.bound),
                        format_number(*figure.bound), unit, figure.bound_name);
  }
  return text;
}

std::string count_text(std::optional<double> outside, std::optional<double> inside) {
  if (!outside && !inside) return "-";
  const double count = std::max(0.0, outside.value_or(0) + inside.value_or(0));
  return format_count(static_cast<std::uint64_t>(std::llround(count)));
}

std::string inside_share(std::optional<double> outside, std::optional<double> inside) {
  const double all = outside.value_or(0) + inside.value_or(0);
  return all > 0 && inside ? format_percent(*inside / all) : "-";
}

}  // namespace plait::report
