// SPDX-License-Identifier: BSD-3-Clause
// A mapping of processes to nodes as text and JSON.
#include "report/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "machine/cpuset.hpp"
#include "machine/machine_file.hpp"
#include "report/terminal_parts.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;
using mapping::Goal;
using mapping::Interval;
using mapping::Score;

/// "2.10 ms (1.05 to 4.20)".
std::string time_of(const Interval& time) {
  return format_interval(time.value, time.low, time.high, format_seconds);
}

/// The predicted gain of the exchange.
std::string gain_text(const MappingReport& report) {
  const Interval& ratio = report.gain.ratio;
  const std::string range = format_range(ratio.low, ratio.high, format_ratio);
  if (ratio.low > 1) {
    return fmt::format("the exchange is predicted to be {} times faster, {}",
                       format_ratio(ratio.value), range);
  }
  return fmt::format("the gain of the exchange is uncertain: {} times faster, {}",
                     format_ratio(ratio.value), range);
}

/// The goal's figure after and before the mapping: "J = 1792 instead of 2512".
std::string change_text(const MappingReport& report) {
  const Score& before = report.result.before;
  const Score& after = report.result.after;
  if (report.request.goal == Goal::distance) {
    return fmt::format("J = {:.10g} instead of {:.10g} (weight x distance)",
                       after.distance / report.unit_bytes, before.distance / report.unit_bytes);
  }
  if (after.cut_pairs != before.cut_pairs) {
    return fmt::format("{} instead of {} of {} neighbour pairs cross between nodes",
                       after.cut_pairs, before.cut_pairs, after.pairs);
  }
  if (after.cut != before.cut) {
    return fmt::format("{} instead of {} cross between nodes each way, over {} of {} pairs",
                       format_bytes(after.cut), format_bytes(before.cut), after.cut_pairs,
                       after.pairs);
  }
  return fmt::format(
      "the busiest node exchanges {} instead of {}; {} of {} pairs still cross between nodes",
      format_bytes(after.busiest_node), format_bytes(before.busiest_node), after.cut_pairs,
      after.pairs);
}

std::string costs_text(const MappingReport& report) {
  const mapping::Costs& costs = report.costs.middle;
  const std::string network = fmt::format(
      "{} latency, {} per card and direction", format_seconds(costs.path[mapping::kLevels].seconds),
      costs.card.seconds_per_byte > 0 ? format_bytes_per_second(1 / costs.card.seconds_per_byte)
                                      : "no bandwidth");
  if (report.costs.measured) return fmt::format("{}, measured: {}", network, report.costs.from);
  if (report.costs.from == "given") return network + ", given";
  return network + " (half to twice that), assumed for an ordinary cluster; not measured";
}

const char* goal_text(Goal goal) {
  switch (goal) {
    case Goal::exchange_time:
      return "least time of an exchange, then bytes between nodes";
    case Goal::cut:
      return "fewest bytes between nodes, then over the busiest node";
    case Goal::distance:
      return "least J, the sum of weight x distance";
  }
  return "";
}

/// The best score of each method, with the time of all its attempts.
std::vector<mapping::Candidate> best_of_methods(const MappingReport& report) {
  const auto key = [&](const Score& score) {
    const double first = report.request.goal == Goal::distance ? score.distance
                         : report.request.goal == Goal::cut    ? score.cut
                                                               : score.time_s;
    return std::tuple(first, score.cut, score.busiest_node);
  };
  std::vector<mapping::Candidate> best;
  for (const mapping::Candidate& one : report.result.candidates) {
    const auto same = std::find_if(best.begin(), best.end(), [&](const mapping::Candidate& other) {
      return other.method == one.method;
    });
    if (same == best.end()) {
      best.push_back(one);
      continue;
    }
    same->seconds += one.seconds;
    if (key(one.score) < key(same->score)) same->score = one.score;
  }
  return best;
}

Lines candidate_lines(const MappingReport& report, const TerminalOptions& options) {
  const bool by_distance = report.request.goal == Goal::distance;
  Table table({text_column("method", truncate), number_column("pairs\nbetween"),
               number_column("bytes\nbetween"), number_column("busiest\nnode"),
               number_column(by_distance ? "J" : "exchange\ntime"), number_column("search\ntime")},
              {0, options.color});
  const auto add = [&](const std::string& method, const Score& score, const std::string& search,
                       Paint with) {
    const std::string figure = by_distance
                                   ? fmt::format("{:.10g}", score.distance / report.unit_bytes)
                                   : format_seconds(score.time_s);
    table.add({method, std::to_string(score.cut_pairs), format_bytes(score.cut),
               format_bytes(score.busiest_node), figure, search},
              with);
  };
  for (const mapping::Candidate& one : best_of_methods(report)) {
    add(one.method, one.score, format_seconds(one.seconds), Paint::none);
  }
  add("chosen: " + report.result.method, report.result.after, "", Paint::bold);
  return table.lines();
}

/// The processes on each node, by part: "node0   0-3,8-11".
Lines node_lines(const MappingReport& report, std::size_t most, const TerminalOptions& options) {
  std::map<int, std::map<std::string, std::vector<int>>> processes;
  for (std::size_t p = 0; p < report.result.slot_of.size(); ++p) {
    const std::string part = report.part_of.empty() ? "" : report.part_of[p];
    processes[report.request.slots.node_of(report.result.slot_of[p])][part].push_back(
        static_cast<int>(p));
  }
  std::vector<Column> columns{text_column("node", truncate),
                              text_column("processes", abridge_commas)};
  if (!report.part_of.empty()) columns.insert(columns.begin() + 1, text_column("part", truncate));
  Table table(std::move(columns));
  std::size_t listed = 0;
  for (const auto& [node, parts] : processes) {
    if (listed++ == most) break;
    const auto index = static_cast<std::size_t>(node);
    const std::vector<std::string>& names = report.request.slots.nodes;
    const std::string name = index < names.size() ? names[index] : fmt::format("node {}", node);
    for (const auto& [part, list] : parts) {
      Lines cells{printable(name, options.utf8), machine::format_ids(list)};
      if (!report.part_of.empty()) cells.insert(cells.begin() + 1, printable(part, options.utf8));
      table.add(std::move(cells));
    }
  }
  Lines lines = table.lines();
  if (processes.size() > most) {
    lines.push_back(fmt::format("and {} more nodes; --json lists all", processes.size() - most));
  }
  return lines;
}

// --- JSON ----------------------------------------------------------------------------------------

json interval_json(const mapping::Interval& of) {
  return {{"value", of.value}, {"low", of.low}, {"high", of.high}};
}

json score_json(const mapping::Score& score, double unit_bytes) {
  return {{"pairs_between_nodes", score.cut_pairs},
          {"pairs", score.pairs},
          {"bytes_between_nodes", score.cut},
          {"bytes_of_busiest_node", score.busiest_node},
          {"exchange_s", score.time_s},
          {"distance", score.distance / unit_bytes}};
}

json costs_json(const mapping::CostsRange& costs) {
  const auto path = [](const mapping::PathCost& of) {
    return json{{"seconds", of.seconds}, {"seconds_per_byte", of.seconds_per_byte}};
  };
  json inside = json::array();
  for (std::size_t level = 0; level < mapping::kLevels; ++level) {
    inside.push_back(path(costs.middle.path[level]));
  }
  return {{"from", costs.from},
          {"measured", costs.measured},
          {"inside_node", inside},
          {"between_nodes", path(costs.middle.path[mapping::kLevels])},
          {"card", path(costs.middle.card)}};
}

json nodes_json(const mapping::Slots& slots) {
  std::vector<int> capacity;
  for (int slot = 0; slot < slots.size(); ++slot) {
    const auto node = static_cast<std::size_t>(slots.node_of(slot));
    if (node >= capacity.size()) capacity.resize(node + 1, 0);
    ++capacity[node];
  }
  json nodes = json::array();
  for (std::size_t node = 0; node < capacity.size(); ++node) {
    nodes.push_back({{"name", node < slots.nodes.size() ? json(slots.nodes[node]) : json(nullptr)},
                     {"slots", capacity[node]}});
  }
  return nodes;
}

json node_of_processes(const mapping::Slots& slots, const std::vector<int>& slot_of) {
  json nodes = json::array();
  for (const int slot : slot_of) nodes.push_back(slots.node_of(slot));
  return nodes;
}

const char* goal_name(mapping::Goal goal) {
  switch (goal) {
    case mapping::Goal::exchange_time:
      return "time";
    case mapping::Goal::cut:
      return "cut";
    case mapping::Goal::distance:
      return "distance";
  }
  return "";
}

/// Limits of the table of processes by node: number of processes, number of lines.
constexpr int most_listed = 1'000'000;
constexpr std::size_t most_node_lines = 12;

}  // namespace

std::string mapping_verdict(const MappingReport& report) {
  const mapping::MappingResult& result = report.result;
  const std::size_t tried = best_of_methods(report).size() - 1;  // all but the current one
  if (result.nothing_to_gain) {
    const std::string figure =
        report.request.goal == Goal::distance
            ? fmt::format("J is {:.10g} (weight x distance)",
                          result.before.distance / report.unit_bytes)
            : fmt::format("{} of {} neighbour pairs cross between nodes, {} each way",
                          result.before.cut_pairs, result.before.pairs,
                          format_bytes(result.before.cut));
    return fmt::format(
        "Nothing to gain: {}, and none of {} methods found a better mapping. An exchange stays at "
        "{}.",
        figure, tried, time_of(report.gain.before_s));
  }
  std::string text = fmt::format("{}; {}.", change_text(report), gain_text(report));
  if (text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

Lines mapping_lines(const MappingReport& report, const TerminalOptions& options) {
  Lines lines = bold_lines(mapping_verdict(report), 4, options);
  const auto say = [&](const std::string& text) {
    append(lines, wrap(printable(text, options.utf8), kTerminalColumns, 4));
  };
  say(fmt::format("{} on {}", report.input, report.nodes));
  say("goal: " + std::string(goal_text(report.request.goal)));
  say("network: " + costs_text(report));
  say(fmt::format("exchange: {} now, {} after mapping", time_of(report.gain.before_s),
                  time_of(report.gain.after_s)));
  lines.emplace_back();
  append(lines, candidate_lines(report, options));
  if (report.request.graph.size() <= most_listed) {
    lines.emplace_back();
    append(lines, node_lines(report, most_node_lines, options));
  }
  if (!report.notes.empty()) lines.emplace_back();
  for (const std::string& note : report.notes) say("note: " + note);
  if (!report.written.empty() || !report.next.empty() || !report.command.empty()) {
    lines.emplace_back();
  }
  for (const std::string& file : report.written) lines.push_back("wrote " + printable(file, true));
  if (!report.command.empty()) lines.push_back(printable(report.command, true));
  if (!report.next.empty()) say("Next: " + report.next);
  return lines;
}

json mapping_to_json(const MappingReport& report) {
  const mapping::MappingResult& result = report.result;
  json candidates = json::array();
  for (const mapping::Candidate& one : result.candidates) {
    candidates.push_back({{"method", one.method},
                          {"score", score_json(one.score, report.unit_bytes)},
                          {"search_s", one.seconds}});
  }
  json value{{"schema", "plait-map"},
             {"schema_version", 1},
             {"plait_version", PLAIT_VERSION},
             {"created", machine::utc_now()}};
  value["verdict"] = mapping_verdict(report);
  value["input"] = report.input;
  value["processes"] = report.request.graph.size();
  value["nodes"] = nodes_json(report.request.slots);
  value["goal"] = goal_name(report.request.goal);
  value["costs"] = costs_json(report.costs);
  value["nothing_to_gain"] = result.nothing_to_gain;
  value["method"] = result.method;
  value["before"] = score_json(result.before, report.unit_bytes);
  value["after"] = score_json(result.after, report.unit_bytes);
  value["predicted"] = {{"before_s", interval_json(report.gain.before_s)},
                        {"after_s", interval_json(report.gain.after_s)},
                        {"times_faster", interval_json(report.gain.ratio)}};
  value["candidates"] = candidates;
  value["slot_of_process"] = result.slot_of;
  value["node_of_process"] = node_of_processes(report.request.slots, result.slot_of);
  if (!report.part_of.empty()) value["part_of_process"] = report.part_of;
  value["notes"] = report.notes;
  return value;
}

}  // namespace plait::report
