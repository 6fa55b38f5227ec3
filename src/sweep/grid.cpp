// SPDX-License-Identifier: BSD-3-Clause
// The points of a sweep: all combinations of its parameters, and the command of each.
#include "sweep/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

#include "advise/number_lists.hpp"
#include "base/shell_word.hpp"
#include "base/split.hpp"
#include "plait/error.hpp"
#include "sweep/expression.hpp"

namespace plait::sweep {
namespace {

constexpr const char* kThreadsVariable = "OMP_NUM_THREADS";

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

const std::string* find_value(const Values& values, const std::string& name) {
  const auto found =
      std::ranges::find_if(values, [&](const auto& value) { return value.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

/// A text in pieces: a placeholder's name, or text between them.
struct Piece {
  bool placeholder = false;
  std::string text;
};

/// Length of "{name}" at a position; 0: there is none.
std::size_t placeholder_length(const std::string& text, std::size_t at) {
  const std::size_t end = text[at] == '{' ? text.find('}', at) : text.npos;
  if (end == text.npos || !is_variable_name(text.substr(at + 1, end - at - 1))) return 0;
  return end + 1 - at;
}

/// "${x}" of a shell is not a placeholder, and "{{x}}" is "{x}".
std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t inner = text.compare(at, 2, "{{") == 0 ? placeholder_length(text, at + 1) : 0;
    if (inner > 0 && at + 1 + inner < text.size() && text[at + 1 + inner] == '}') {
      plain += text.substr(at + 1, inner);
      at += inner + 2;
      continue;
    }
    const std::size_t length = at > 0 && text[at - 1] == '$' ? 0 : placeholder_length(text, at);
    if (length == 0) {
      plain += text[at++];
      continue;
    }
    if (!plain.empty()) pieces.push_back({false, plain});
    plain.clear();
    pieces.push_back({true, text.substr(at + 1, length - 2)});
    at += length;
  }
  if (!plain.empty()) pieces.push_back({false, plain});
  return pieces;
}

std::string filled(const std::string& text, const Values& values) {
  std::string result;
  for (const Piece& piece : pieces_of(text)) {
    result += piece.placeholder ? *find_value(values, piece.text) : piece.text;
  }
  return result;
}

bool is_one_placeholder(const std::string& argument) {
  const std::vector<Piece> pieces = pieces_of(argument);
  return pieces.size() == 1 && pieces.front().placeholder;
}

bool mentions(const std::vector<std::string>& texts, const std::string& what) {
  return std::ranges::any_of(texts,
                             [&](const std::string& text) { return text.find(what) != text.npos; });
}

/// True if Plait sets the number of threads.
bool sets_threads(const Grid& grid) {
  return !mentions(grid.command, kThreadsVariable) && !mentions(grid.set, kThreadsVariable);
}

/// Checks placeholders and parameters against each other.
void check_names(const Grid& grid) {
  std::set<std::string> known;
  const auto add = [&](const char* option, const std::string& name) {
    if (known.insert(name).second) return;
    throw Error(option, fmt::format("{} was given more than once", name), "give it once");
  };
  for (const Parameter& parameter : grid.over) add("--over", parameter.name);
  std::set<std::string> used;
  for (const Derived& derived : grid.derived) {
    const Expression expression(derived.weak ? "--weak" : "--let", derived.expression);
    for (const std::string& name : expression.names()) {
      if (!known.contains(name)) {
        throw Error(derived.name + "=" + derived.expression, fmt::format("{} has no value", name),
                    fmt::format("give it one before: --over {}=1,2,4", name));
      }
      used.insert(name);
    }
    // A weak parameter may have values of its own, to which the expression is the factor.
    const bool factor = derived.weak && known.contains(derived.name);
    if (!factor) add(derived.weak ? "--weak" : "--let", derived.name);
    if (derived.weak && !factor && !expression.is_absolute()) {
      throw Error("--weak " + derived.name, "has no value for one core",
                  fmt::format("give it one: --over {}=100", derived.name));
    }
  }
  const auto check = [&](const std::string& text) {
    for (const Piece& piece : pieces_of(text)) {
      if (!piece.placeholder) continue;
      if (!known.contains(piece.text)) {
        throw Error(fmt::format("{{{}}}", piece.text), "placeholder without a value",
                    fmt::format("give its values: --over {0}=1,2,4; for braces write {{{{{0}}}}}",
                                piece.text));
      }
      used.insert(piece.text);
    }
  };
  for (const std::string& argument : grid.command) check(argument);
  for (const std::string& assignment : grid.set) {
    if (!is_variable_name(assignment.substr(0, assignment.find('='))) ||
        assignment.find('=') == assignment.npos) {
      throw Error("--set", fmt::format("\"{}\" is not a setting", assignment), "use NAME=VALUE");
    }
    check(assignment);
  }
  for (const std::string& name : known) {
    const bool threads = name == kThreads && sets_threads(grid);
    if (used.contains(name) || threads) continue;
    throw Error("--over " + name, "not used",
                fmt::format("write {{{0}}} in the command, or --set NAME={{{0}}}", name));
  }
}

/// Adds the derived values. @return why the point is left out; empty: it is not
std::string add_derived(const Grid& grid, Values& values) {
  constexpr double kWhole = 1e-9;
  std::string left_out;
  for (const Derived& derived : grid.derived) {
    const Expression expression(derived.weak ? "--weak" : "--let", derived.expression);
    double value = expression.at([&](const std::string& name) -> std::optional<double> {
      const std::string* const text = find_value(values, name);
      return text == nullptr ? std::nullopt : number_of(*text);
    });
    const auto own =
        std::ranges::find_if(values, [&](const auto& each) { return each.first == derived.name; });
    if (own != values.end()) {
      const std::optional<double> one = number_of(own->second);
      if (!one) {
        throw Error("--weak " + derived.name, fmt::format("\"{}\" is not a number", own->second),
                    "give numbers with --over");
      }
      own->second = fmt::format("{}", std::llround(*one * value));
      continue;
    }
    const double whole = std::round(value);
    const bool is_whole = std::abs(value - whole) <= kWhole * std::max(1.0, std::abs(value));
    values.emplace_back(derived.name, derived.weak || is_whole ? fmt::format("{:.0f}", whole)
                                                               : fmt::format("{:.4g}", value));
    if (!derived.weak && (!is_whole || whole < 1) && left_out.empty()) {
      left_out = fmt::format("{}={} is {:.4g}, not a whole number from 1 on", derived.name,
                             derived.expression, value);
    }
  }
  return left_out;
}

int count_of(const Values& values, const char* name) {
  const std::string* const text = find_value(values, name);
  if (text == nullptr) return 1;
  const std::optional<double> value = number_of(*text);
  if (!value || *value < 1 || *value > kMostCores || *value != std::floor(*value)) {
    throw Error(fmt::format("--over {}", name),
                fmt::format("\"{}\" is not a number of {}", *text, name),
                "give whole numbers from 1 on");
  }
  return static_cast<int>(*value);
}

/// Settings come from values other than those of work and cores.
bool is_setting(const std::vector<Piece>& pieces) {
  return std::ranges::any_of(pieces, [](const Piece& piece) {
    return piece.placeholder && piece.text != kRanks && piece.text != kThreads &&
           piece.text != kSize;
  });
}

void add_command(const Grid& grid, Point& point) {
  point.command = command_with(grid, point.values);
  for (const std::string& assignment : grid.set) {
    if (!is_setting(pieces_of(assignment))) continue;
    point.settings.push_back(filled(assignment, point.values));
  }
  for (const std::string& argument : grid.command) {
    const std::string text = filled(argument, point.values);
    if (is_one_placeholder(argument) && is_setting(pieces_of(argument)) && text.starts_with('-')) {
      point.options.push_back(text);
    }
  }
}

bool is_core_parameter(const Grid& grid, const std::string& name) {
  return name == kRanks || name == kThreads ||
         std::ranges::find(grid.core_parameters, name) != grid.core_parameters.end();
}

/// Cores of all parts of a point.
std::int64_t needed_cores(const Point& point) {
  if (point.parts.empty()) return std::int64_t{point.ranks} * point.threads;
  std::int64_t cores = 0;
  for (const JobPart& part : point.parts) {
    if (cores <= kMostCores) cores += std::int64_t{part.ranks} * part.threads;
  }
  return cores;
}

std::pair<std::string, std::string> divided(const std::string& option, const std::string& text,
                                            const std::string& example) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == text.npos || !is_variable_name(name)) {
    throw Error(option, fmt::format("\"{}\" has no parameter and values", text),
                "write " + example);
  }
  return {name, text.substr(equals + 1)};
}

/// The values that are not derived and for which `wanted` is true.
std::string common_name(const Grid& grid, const Point& point,
                        const std::function<bool(const std::string&)>& wanted) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : point.values) {
    const bool derived =
        std::ranges::find(grid.derived, name, &Derived::name) != grid.derived.end();
    if (!derived && wanted(name)) parts.push_back(name + "=" + value);
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

Parameter parse_parameter(const std::string& text) {
  const auto [name, list] = divided("--over", text, "--over ranks=1,2,4");
  const char separator = list.find(';') == list.npos ? ',' : ';';
  Parameter parameter{name, advise::split(list, separator)};
  std::set<std::string> seen;
  for (const std::string& value : parameter.values) {
    if (value.empty() && parameter.values.size() == 1) {
      throw Error("--over " + name, "has no value", "write --over ranks=1,2,4");
    }
    if (!seen.insert(value).second) {
      throw Error("--over " + name, fmt::format("has the value \"{}\" twice", value),
                  "leave one of them out");
    }
  }
  return parameter;
}

Derived parse_derived(const std::string& text, bool weak) {
  const std::string option = weak ? "--weak" : "--let";
  const auto [name, expression] =
      divided(option, text, weak ? "--weak size=ranks^1/3" : "--let threads=8/ranks");
  return {name, expression, weak};
}

int Point::cores() const {
  return static_cast<int>(needed_cores(*this));
}

std::vector<std::string> command_with(const Grid& grid, const Values& values) {
  std::vector<std::string> variables;
  const std::string* const threads = find_value(values, kThreads);
  if (threads != nullptr && sets_threads(grid)) {
    variables.push_back(fmt::format("{}={}", kThreadsVariable, *threads));
  }
  for (const std::string& assignment : grid.set) variables.push_back(filled(assignment, values));
  std::vector<std::string> command;
  if (!variables.empty()) command.emplace_back("env");
  command.insert(command.end(), variables.begin(), variables.end());
  for (const std::string& argument : grid.command) {
    const std::string text = filled(argument, values);
    if (!is_one_placeholder(argument)) {
      command.push_back(text);
      continue;
    }
    for (std::string& part : split_at_blanks(text)) command.push_back(std::move(part));
  }
  return command;
}

std::vector<std::pair<std::string, double>> core_values(const Grid& grid, const Point& point) {
  std::vector<std::pair<std::string, double>> found;
  for (const auto& [name, text] : point.values) {
    if (is_core_parameter(grid, name)) found.emplace_back(name, number_of(text).value_or(1));
  }
  return found;
}

std::string value_of(const Point& point, const std::string& name) {
  const std::string* const value = find_value(point.values, name);
  return value == nullptr ? std::string{} : *value;
}

std::vector<Point> points_of(const Grid& grid) {
  constexpr std::size_t kMost = 10'000;
  check_names(grid);
  std::vector<Values> all{{}};
  for (const Parameter& parameter : grid.over) {
    std::vector<Values> longer;
    for (const Values& values : all) {
      for (const std::string& value : parameter.values) {
        longer.push_back(values);
        longer.back().emplace_back(parameter.name, value);
      }
    }
    all = std::move(longer);
    if (all.size() > kMost) {
      throw Error("--over", fmt::format("more than {} points", kMost), "give fewer values");
    }
  }
  std::vector<Point> points;
  for (Values& values : all) {
    Point point;
    point.left_out = add_derived(grid, values);
    point.values = std::move(values);
    std::vector<std::string> parts;
    for (const auto& [name, value] : point.values) parts.push_back(name + "=" + value);
    point.name = fmt::format("{}", fmt::join(parts, " "));
    if (point.left_out.empty()) {
      point.ranks = count_of(point.values, kRanks);
      point.threads = count_of(point.values, kThreads);
      check_cores(point);
      add_command(grid, point);
    }
    if (point.left_out.empty() && grid.most_cores && point.cores() > *grid.most_cores) {
      point.left_out = cores_sentence(point.cores(), *grid.most_cores);
    }
    points.push_back(std::move(point));
  }
  return points;
}

bool has_too_many_cores(const Point& point) {
  return needed_cores(point) > kMostCores;
}

void check_cores(const Point& point) {
  if (!has_too_many_cores(point)) return;
  throw Error(point.name, fmt::format("needs more than {} cores", kMostCores),
              "give fewer ranks or threads");
}

std::string cores_sentence(int needed, int most) {
  return fmt::format("needs {} cores, and --cores is {}", needed, most);
}

std::string series_name(const Grid& grid, const Point& point) {
  return common_name(grid, point,
                     [&](const std::string& name) { return !is_core_parameter(grid, name); });
}

std::string workload_name(const Grid& grid, const Point& point) {
  return common_name(grid, point, [](const std::string& name) { return name == kSize; });
}

bool is_weak(const Grid& grid) {
  return std::ranges::any_of(grid.derived, [](const Derived& each) { return each.weak; });
}

}  // namespace plait::sweep
