// SPDX-License-Identifier: BSD-3-Clause
// The plan of a sweep as text: points, runs, time, what is left out and why.
#include "sweep/plan_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/secrets.hpp"
#include "base/shell_word.hpp"
#include "sweep/schedule.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::sweep {
namespace {

using Lines = std::vector<std::string>;

void append(const Lines& more, Lines& lines) {
  lines.insert(lines.end(), more.begin(), more.end());
}

std::string count_range(int low, int high) {
  return low == high ? std::to_string(low) : fmt::format("{} to {}", low, high);
}

/// "ranks 1, 2, 4 x threads 1, 2; size grows as ranks^1/3".
std::string grid_sentence(const Grid& grid) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : grid.over) {
    parts.push_back(fmt::format("{} {}", parameter.name, fmt::join(parameter.values, ", ")));
  }
  std::string text = fmt::format("{}", fmt::join(parts, " x "));
  for (const Derived& derived : grid.derived) {
    text += fmt::format("; {} {} {}", derived.name, derived.weak ? "grows as" : "=",
                        derived.expression);
  }
  return text;
}

std::string time_sentence(const Sweep& sweep, const Rest& rest) {
  std::string text = "known after the first run";
  if (rest.most_s) text = format_range(*rest.fewest_s, *rest.most_s, format_seconds);
  if (sweep.limits.budget_s) {
    text += ", at most " + format_seconds(*sweep.limits.budget_s - sweep.spent_s);
  }
  return text;
}

void add_left_out(const Sweep& sweep, Lines& lines) {
  constexpr std::size_t kMostShown = 8;
  std::vector<const SweepPoint*> left_out;
  for (const SweepPoint& point : sweep.points) {
    if (!point.point.left_out.empty()) left_out.push_back(&point);
  }
  for (std::size_t i = 0; i < std::min(kMostShown, left_out.size()); ++i) {
    const Point& point = left_out[i]->point;
    append(wrap_beside("left out:  ", point.name + ": " + point.left_out), lines);
  }
  if (left_out.size() > kMostShown) {
    lines.push_back(fmt::format("left out:  {} more", left_out.size() - kMostShown));
  }
}

}  // namespace

std::string figure_sentence(const Figure& figure) {
  switch (figure.kind) {
    case FigureKind::wall:
      return "wall time";
    case FigureKind::region:
      return "time in region " + figure.text;
    case FigureKind::metric:
      break;
  }
  const std::string name = figure.is_time() ? "time" : figure.unit.empty() ? "number" : figure.unit;
  return fmt::format("{} in the output{}", name,
                     figure.larger_is_better ? ", larger is better" : "");
}

Lines plan_lines(const Sweep& sweep) {
  const Rest rest = rest_of(sweep);
  const auto shared = std::ranges::count_if(sweep.points, [&](const SweepPoint& point) {
    return !point.is_over() && point.point.cores() > sweep.host_cpus;
  });
  Lines lines;
  append(wrap_beside("points:    ", fmt::format("{}: {}", rest.points, grid_sentence(sweep.grid))),
         lines);
  append(wrap_beside("runs:      ",
                     fmt::format("{}, until the interval of a median is {} wide; each at most {}",
                                 count_range(rest.fewest, rest.most),
                                 format_percent(sweep.limits.precision, Zeros::dropped),
                                 counted(sweep.limits.repeat, "time"))),
         lines);
  append(wrap_beside("time:      ", time_sentence(sweep, rest)), lines);
  append(wrap_beside("compared:  ", figure_sentence(sweep.figure)), lines);
  if (sweep.smart) {
    append(wrap_beside("smart:     ",
                       "points that are predicted to be clearly worse than the best do not run, "
                       "those that are run once; --all-points runs all"),
           lines);
  }
  add_left_out(sweep, lines);
  if (shared > 0) {
    append(wrap_beside("note:      ",
                       fmt::format("{} more than the {} of this node; --cores {} leaves them out",
                                   counted(shared, "point needs", "points need"),
                                   counted(sweep.host_cpus, "CPU"), sweep.host_cpus)),
           lines);
  }
  const auto first =
      std::ranges::find_if(sweep.points, [](const SweepPoint& point) { return !point.is_over(); });
  if (first == sweep.points.end()) return lines;
  Lines arguments;
  for (const std::string& argument : masked_arguments(first->point.command)) {
    arguments.push_back(shell_word(argument));
  }
  append(wrap_command("first:     ", arguments), lines);
  return lines;
}

}  // namespace plait::sweep
