// SPDX-License-Identifier: BSD-3-Clause
// Functions that became slower or faster between two sampled sides.
#include "report/compare_functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "samples/hot_spots.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr double kLeastShare = 0.001;
constexpr std::size_t kMostRows = 8;

/// The samples of one side by function.
struct SideTimes {
  double whole_s = 0;     ///< all samples, mean over ranks and runs
  std::uint64_t all = 0;  ///< samples
  struct Function {
    std::uint64_t samples = 0;
    std::string file;
    int line = 0;
  };
  std::map<std::string, Function> functions;

  [[nodiscard]] std::optional<FunctionTime> time_of(const std::string& name) const {
    const auto found = functions.find(name);
    if (found == functions.end()) return {};
    const samples::Share share = samples::share_of(found->second.samples, all);
    return FunctionTime{share.value * whole_s, share.low * whole_s, share.high * whole_s};
  }
};

SideTimes times_of(const std::vector<samples::CallTree>& trees) {
  SideTimes times;
  for (const samples::CallTree& tree : trees) {
    std::set<int> ranks;
    for (const samples::SampledThread& thread : tree.threads) ranks.insert(thread.rank);
    std::uint64_t taken = 0;
    for (const samples::NodeCount& count : tree.counts) {
      const auto& node = tree.nodes[static_cast<std::size_t>(count.node)];
      const auto& function = tree.functions[static_cast<std::size_t>(node.function)];
      auto& of = times.functions[function.name];
      of.samples += count.samples;
      of.file = function.file;
      of.line = function.line;
      taken += count.samples;
    }
    times.all += taken;
    times.whole_s += static_cast<double>(taken) / tree.rate_hz /
                     static_cast<double>(std::max<std::size_t>(1, ranks.size()));
  }
  times.whole_s /= static_cast<double>(std::max<std::size_t>(1, trees.size()));
  return times;
}

std::string verdict_of(const std::optional<FunctionTime>& a, const std::optional<FunctionTime>& b,
                       double least_s) {
  // A function without samples may have been called: below the upper end for no samples at all.
  if (!a) return b->low > least_s ? "new" : "undecided";
  if (!b) return a->low > least_s ? "gone" : "undecided";
  if (b->low > a->high) return "slower";
  return b->high < a->low ? "faster" : "undecided";
}

double difference_of(const FunctionChange& of) {
  return (of.b ? of.b->value : 0) - (of.a ? of.a->value : 0);
}

json time_json(const std::optional<FunctionTime>& of) {
  if (!of) return nullptr;
  return {{"median", of->value}, {"low", of->low}, {"high", of->high}};
}

std::string time_text(const std::optional<FunctionTime>& of) {
  if (!of) return "-";
  return format_interval(of->value, of->low, of->high, format_seconds);
}

/// The upper end of the time of a function without a sample (the rule of three).
double unseen_s(const SideTimes& times) {
  return times.all > 0 ? 3 / static_cast<double>(times.all) * times.whole_s : 0;
}

}  // namespace

std::vector<FunctionChange> compare_functions(const std::vector<samples::CallTree>& a,
                                              const std::vector<samples::CallTree>& b) {
  const SideTimes of_a = times_of(a), of_b = times_of(b);
  if (of_a.all == 0 || of_b.all == 0) return {};
  std::set<std::string> names;
  for (const SideTimes* of : {&of_a, &of_b}) {
    for (const auto& [name, function] : of->functions) {
      const double least = kLeastShare * static_cast<double>(of->all);
      if (static_cast<double>(function.samples) >= least) names.insert(name);
    }
  }
  std::vector<FunctionChange> changes;
  for (const std::string& name : names) {
    FunctionChange change{name, "", 0, of_a.time_of(name), of_b.time_of(name), ""};
    const auto& place = (change.b ? of_b : of_a).functions.at(name);
    change.file = place.file;
    change.line = place.line;
    change.verdict = verdict_of(change.a, change.b, unseen_s(change.a ? of_b : of_a));
    changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, [](const FunctionChange& left, const FunctionChange& right) {
    const bool left_open = left.verdict == "undecided", right_open = right.verdict == "undecided";
    if (left_open != right_open) return right_open;
    return std::abs(difference_of(left)) > std::abs(difference_of(right));
  });
  return changes;
}

json functions_to_json(const std::vector<FunctionChange>& changes) {
  json value = json::array();
  for (const FunctionChange& of : changes) {
    value.push_back({{"name", of.name},
                     {"file", of.file},
                     {"line", of.line},
                     {"a", time_json(of.a)},
                     {"b", time_json(of.b)},
                     {"verdict", of.verdict}});
  }
  return value;
}

std::vector<std::string> function_change_lines(const std::vector<FunctionChange>& changes,
                                               const TerminalOptions& options) {
  if (changes.empty()) return {};
  Table table({text_column("functions by change", truncate_middle), number_column("A: itself"),
               number_column("B: itself"), number_column("change"), text_column("")},
              {0, options.color});
  for (std::size_t i = 0; i < std::min(kMostRows, changes.size()); ++i) {
    const FunctionChange& of = changes[i];
    if (i > 0 && of.verdict == "undecided") break;
    const bool has_both = of.a && of.b && of.a->value > 0;
    table.add({printable(of.name, options.utf8), time_text(of.a), time_text(of.b),
               has_both ? format_change(of.a->value, of.b->value) : "", of.verdict});
  }
  return table.lines();
}

}  // namespace plait::report
