// SPDX-License-Identifier: BSD-3-Clause
// Compares the measurements of two machine files: the figures that differ by more than their
// intervals, and by how much.
#include "report/compare_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "base/json.hpp"
#include "base/statistics.hpp"
#include "machine/figure_checks.hpp"
#include "machine/figures.hpp"
#include "machine/measured_text.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

using machine::Figure;
using machine::FigureKind;
using machine::MachineFile;
using machine::Measured;
using Lines = std::vector<std::string>;

/// Figures in the table of those that differ most.
constexpr std::size_t kMostShown = 12;

const Measured& measured_of(const std::string& name, const MachineFile& file) {
  if (file.measured) return *file.measured;
  throw Error(name, "no measurements of this machine", "run plait measure on it");
}

std::string group_of(const Measured& measured, const Figure& figure) {
  switch (figure.kind) {
    case FigureKind::stream:
      return "memory (STREAM)";
    case FigureKind::jacobi:
      return "P(k)";
    case FigureKind::peak:
      return "floating-point peak";
    case FigureKind::all_to_all:
    case FigureKind::collective:
      return "collectives";
    case FigureKind::bare_line:
    case FigureKind::bare_memcpy:
    case FigureKind::bare_pingping:
    case FigureKind::bare_multi_pair:
      return "copies (" + measured.paths[figure.path].name + ")";
    default:
      return "messages (" + measured.paths[figure.path].name + ")";
  }
}

MachineChange change_of(const std::string& group, const Figure& a, const Figure& b) {
  MachineChange change{group, a.name, a.unit(), *a.value, *b.value, 1, 1, 1};
  const auto ratio = [&](double of_a, double of_b) {
    const double faster = a.is_rate() ? of_b / of_a : of_a / of_b;
    return of_a > 0 && of_b > 0 ? faster : 1;
  };
  change.speed = ratio(change.a.median, change.b.median);
  const double one = ratio(change.a.ci_low, change.b.ci_high);
  const double other = ratio(change.a.ci_high, change.b.ci_low);
  change.low = std::min({one, other, change.speed});
  change.high = std::max({one, other, change.speed});
  return change;
}

void compare_texts(const MachineFile& a, const MachineFile& b, Lines& differences) {
  const auto compare = [&](const char* what, const std::string& of_a, const std::string& of_b) {
    if (of_a != of_b) {
      differences.push_back(fmt::format("{}: {}, and {}", what, of_a.empty() ? "unknown" : of_a,
                                        of_b.empty() ? "unknown" : of_b));
    }
  };
  compare("host", a.host, b.host);
  compare("processor", a.cpu_model, b.cpu_model);
  compare("system", a.os, b.os);
  compare("cores", std::to_string(a.topology.allowed_cores().size()),
          std::to_string(b.topology.allowed_cores().size()));
  compare("MPI", machine::mpi_name(*a.measured), machine::mpi_name(*b.measured));
  compare("overlap", machine::overlap_headline(*a.measured),
          machine::overlap_headline(*b.measured));
}

std::string direction(double speed) {
  return fmt::format("{} times {}", format_ratio(std::max(speed, 1 / speed)),
                     speed >= 1 ? "faster" : "slower");
}

/// The changes of a group, in the order of their first figure.
std::vector<std::pair<std::string, std::vector<const MachineChange*>>> groups_of(
    const MachineComparison& comparison) {
  std::vector<std::pair<std::string, std::vector<const MachineChange*>>> groups;
  for (const MachineChange& change : comparison.changes) {
    auto found = std::ranges::find_if(
        groups, [&](const auto& group) { return group.first == change.group; });
    if (found == groups.end()) found = groups.insert(groups.end(), {change.group, {}});
    found->second.push_back(&change);
  }
  return groups;
}

Lines group_lines(const MachineComparison& comparison) {
  Table table({text_column("figures", truncate), number_column("compared"), number_column("differ"),
               number_column("B is"), number_column("range")});
  for (const auto& [name, changes] : groups_of(comparison)) {
    std::vector<double> speeds;
    for (const MachineChange* change : changes) speeds.push_back(change->speed);
    const auto differing = std::ranges::count_if(
        changes, [](const MachineChange* change) { return change->differs(); });
    const auto [low, high] = std::ranges::minmax(speeds);
    table.add({name, std::to_string(changes.size()), std::to_string(differing),
               format_ratio(median(speeds)) + " x",
               format_range(low, high, format_ratio, Ends::close)});
  }
  return table.lines();
}

Lines largest_lines(const MachineComparison& comparison) {
  std::vector<const MachineChange*> differing;
  for (const MachineChange& change : comparison.changes) {
    if (change.differs()) differing.push_back(&change);
  }
  if (differing.empty()) return {};
  std::ranges::stable_sort(differing, std::greater<>(), [](const MachineChange* change) {
    return std::abs(std::log(change->speed));
  });
  Lines lines{"", fmt::format("the figures that differ most ({} of {})",
                              std::min(kMostShown, differing.size()), differing.size())};
  differing.resize(std::min(kMostShown, differing.size()));
  Table table({text_column("figure", truncate), number_column("A"), number_column("B"),
               text_column("unit"), number_column("B is"), number_column("interval")});
  for (const MachineChange* change : differing) {
    table.add({change->name, format_number(change->a.median), format_number(change->b.median),
               change->unit, format_ratio(change->speed) + " x",
               format_range(change->low, change->high, format_ratio, Ends::close)});
  }
  const Lines rows = table.lines();
  lines.insert(lines.end(), rows.begin(), rows.end());
  return lines;
}

}  // namespace

MachineComparison compare_machines(const std::string& a, const MachineFile& of_a,
                                   const std::string& b, const MachineFile& of_b) {
  MachineComparison comparison;
  comparison.a = a;
  comparison.b = b;
  const Measured usable_a = machine::without_unusable(measured_of(a, of_a));
  const Measured usable_b = machine::without_unusable(measured_of(b, of_b));
  std::map<std::pair<FigureKind, std::string>, Figure> figures;
  for (const Figure& figure : machine::figures_of(usable_b)) {
    figures.emplace(std::pair(figure.kind, figure.name), figure);
  }
  const auto all_of_b = figures.size();
  for (const Figure& figure : machine::figures_of(usable_a)) {
    const auto found = figures.find({figure.kind, figure.name});
    if (found == figures.end()) {
      ++comparison.only_a;
      continue;
    }
    comparison.changes.push_back(change_of(group_of(usable_a, figure), figure, found->second));
  }
  comparison.only_b = static_cast<int>(all_of_b - comparison.changes.size());
  if (comparison.changes.empty()) {
    throw Error(a + " and " + b, "no figure in common", "measure both machines with plait measure");
  }
  compare_texts(of_a, of_b, comparison.differences);
  for (const auto& [name, file] : {std::pair(&a, &of_a), std::pair(&b, &of_b)}) {
    for (const std::string& note : machine::reliability_notes(*file->measured)) {
      comparison.notes.push_back(*name + ": " + note);
    }
  }
  return comparison;
}

std::string machines_verdict(const MachineComparison& comparison) {
  std::size_t faster = 0;
  std::size_t slower = 0;
  const MachineChange* largest = nullptr;
  for (const MachineChange& change : comparison.changes) {
    if (!change.differs()) continue;
    ++(change.speed > 1 ? faster : slower);
    const auto size = [](const MachineChange& of) { return std::abs(std::log(of.speed)); };
    if (largest == nullptr || size(change) > size(*largest)) largest = &change;
  }
  const std::string all = counted(comparison.changes.size(), "figure");
  if (largest == nullptr) {
    return fmt::format("None of {} differs by more than its interval.", all);
  }
  return fmt::format(
      "{} of {} differ by more than their intervals: B is faster in {} and slower in {}. Most: {}, "
      "B is {}.",
      faster + slower, all, faster, slower, largest->name, direction(largest->speed));
}

std::vector<std::string> machines_lines(const MachineComparison& comparison) {
  Lines lines = wrap(machines_verdict(comparison));
  const auto add = [&](const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); };
  lines.emplace_back();
  add(wrap_beside("A: ", comparison.a));
  add(wrap_beside("B: ", comparison.b));
  for (const std::string& difference : comparison.differences) {
    add(wrap_beside("differs: ", difference));
  }
  lines.emplace_back();
  add(group_lines(comparison));
  add(largest_lines(comparison));
  if (comparison.only_a + comparison.only_b > 0) {
    lines.emplace_back();
    add(wrap(fmt::format("Not compared: {} that only A has, {} that only B has.",
                         counted(comparison.only_a, "figure"),
                         counted(comparison.only_b, "figure"))));
  }
  for (const std::string& note : comparison.notes) add(wrap_beside("note: ", note));
  return lines;
}

nlohmann::json machines_to_json(const MachineComparison& comparison) {
  nlohmann::json changes = nlohmann::json::array();
  for (const MachineChange& change : comparison.changes) {
    const auto side = [](const machine::Statistic& of) {
      return nlohmann::json{{"median", of.median}, {"ci_low", of.ci_low}, {"ci_high", of.ci_high}};
    };
    changes.push_back({{"group", change.group},
                       {"name", change.name},
                       {"unit", change.unit},
                       {"a", side(change.a)},
                       {"b", side(change.b)},
                       {"speed", change.speed},
                       {"low", change.low},
                       {"high", change.high},
                       {"differs", change.differs()}});
  }
  return {{"schema", "plait-machine-comparison"},
          {"schema_version", 1},
          {"plait_version", PLAIT_VERSION},
          {"verdict", machines_verdict(comparison)},
          {"a", comparison.a},
          {"b", comparison.b},
          {"differences", comparison.differences},
          {"changes", std::move(changes)},
          {"only_a", comparison.only_a},
          {"only_b", comparison.only_b},
          {"notes", comparison.notes}};
}

}  // namespace plait::report
