// SPDX-License-Identifier: BSD-3-Clause
// Compares two sweeps point by point.
#include "sweep/compare_sweeps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/shell_word.hpp"
#include "plait/error.hpp"
#include "sweep/plan_lines.hpp"
#include "sweep/result_lines.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/wrap.hpp"

namespace plait::sweep {
namespace {

using Lines = std::vector<std::string>;

/// The values in any order, because sweeps may name parameters in another one.
std::string key_of(const SweepPoint& point) {
  std::map<std::string, std::string> sorted(point.point.values.begin(), point.point.values.end());
  std::string key;
  for (const auto& [name, value] : sorted) key += name + "=" + value + "\n";
  return key;
}

PointChange change_of(const Figure& figure, const SweepPoint& a, const SweepPoint& b) {
  PointChange change;
  change.name = a.point.name;
  change.a = median_interval(values_of(a));
  change.b = median_interval(values_of(b));
  const auto gain = [&](double of_a, double of_b) {
    return figure.larger_is_better ? of_b / of_a : of_a / of_b;
  };
  change.gain = gain(change.a.median, change.b.median);
  const double one = gain(change.a.low, change.b.high);
  const double other = gain(change.a.high, change.b.low);
  change.low = std::min(one, other);
  change.high = std::max(one, other);
  return change;
}

void add_unfair(const Sweep& a, const Sweep& b, Lines& unfair) {
  const auto compare = [&](const char* what, const std::string& of_a, const std::string& of_b) {
    if (of_a != of_b) unfair.push_back(fmt::format("{}: {}, and {}", what, of_a, of_b));
  };
  compare("host", a.host, b.host);
  compare("command", command_text(a.grid.command), command_text(b.grid.command));
  compare("settings", fmt::format("{}", fmt::join(a.grid.set, " ")),
          fmt::format("{}", fmt::join(b.grid.set, " ")));
}

std::string sentence_of(const SweepComparison& comparison) {
  const auto better = std::ranges::count_if(
      comparison.changes, [](const PointChange& change) { return change.low > 1; });
  const auto worse = std::ranges::count_if(
      comparison.changes, [](const PointChange& change) { return change.high < 1; });
  if (better + worse == 0) {
    return fmt::format("No difference: the intervals of {} overlap.",
                       comparison.changes.size() == 1
                           ? std::string("the only point")
                           : fmt::format("all {} points", comparison.changes.size()));
  }
  return fmt::format("Of {}, {} better in B and {} worse; the others do not differ.",
                     counted(comparison.changes.size(), "point"), counted(better, "is", "are"),
                     worse);
}

nlohmann::json interval_json(const MedianInterval& of) {
  return {{"value", of.median}, {"low", of.low}, {"high", of.high}, {"is_interval", of.covers}};
}

}  // namespace

SweepComparison compare_sweeps(const std::string& a, const Sweep& of_a, const std::string& b,
                               const Sweep& of_b) {
  if (figure_sentence(of_a.figure) != figure_sentence(of_b.figure)) {
    throw Error(b,
                fmt::format("compares {}, but {} compares {}", figure_sentence(of_b.figure), a,
                            figure_sentence(of_a.figure)),
                "give sweeps with the same figure of merit");
  }
  SweepComparison comparison{a, b, of_a.figure, {}, {}, 0, 0};
  add_unfair(of_a, of_b, comparison.unfair);
  std::map<std::string, const SweepPoint*> points;
  for (const SweepPoint& point : of_b.points) {
    if (!point.runs.empty()) points.emplace(key_of(point), &point);
  }
  comparison.only_b = static_cast<int>(points.size());
  for (const SweepPoint& point : of_a.points) {
    if (point.runs.empty()) continue;
    const auto found = points.find(key_of(point));
    if (found == points.end()) {
      ++comparison.only_a;
      continue;
    }
    comparison.changes.push_back(change_of(of_a.figure, point, *found->second));
    --comparison.only_b;
  }
  if (comparison.changes.empty()) {
    throw Error(b, "has no measured point in common with " + a,
                "give sweeps over the same parameters");
  }
  return comparison;
}

Lines comparison_lines(const SweepComparison& comparison) {
  Lines lines = wrap(sentence_of(comparison));
  lines.emplace_back();
  Table table({text_column("point", truncate_middle), number_column("A"), number_column("B"),
               number_column("B is better"), number_column("interval"), text_column("")});
  for (const PointChange& change : comparison.changes) {
    table.add({change.name, value_text(comparison.figure, change.a.median),
               value_text(comparison.figure, change.b.median), format_ratio(change.gain) + " x",
               format_range(change.low, change.high, format_ratio, Ends::close),
               !change.differs() ? ""
               : change.gain > 1 ? "better"
                                 : "worse"});
  }
  for (std::string& line : table.lines()) lines.push_back(std::move(line));
  lines.emplace_back();
  const auto add = [&](const char* label, const std::string& text) {
    for (std::string& line : wrap_beside(label, text)) lines.push_back(std::move(line));
  };
  for (const std::string& unfair : comparison.unfair) add("caution: ", unfair);
  if (comparison.only_a > 0) add("note: ", counted(comparison.only_a, "point") + " only in A");
  if (comparison.only_b > 0) add("note: ", counted(comparison.only_b, "point") + " only in B");
  lines.push_back("A: " + comparison.a);
  lines.push_back("B: " + comparison.b);
  return lines;
}

nlohmann::json comparison_to_json(const SweepComparison& comparison) {
  nlohmann::json changes = nlohmann::json::array();
  for (const PointChange& change : comparison.changes) {
    changes.push_back({{"name", change.name},
                       {"a", interval_json(change.a)},
                       {"b", interval_json(change.b)},
                       {"gain", change.gain},
                       {"low", change.low},
                       {"high", change.high},
                       {"differs", change.differs()}});
  }
  return {{"schema", "plait-compare-sweeps"},
          {"schema_version", 1},
          {"plait_version", PLAIT_VERSION},
          {"a", comparison.a},
          {"b", comparison.b},
          {"figure", figure_sentence(comparison.figure)},
          {"sentence", sentence_of(comparison)},
          {"unfair", comparison.unfair},
          {"points", changes},
          {"only_a", comparison.only_a},
          {"only_b", comparison.only_b}};
}

}  // namespace plait::sweep
