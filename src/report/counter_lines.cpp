// SPDX-License-Identifier: BSD-3-Clause
// Counters on a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "report/counter_text.hpp"
#include "report/resource_lines.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostRegions = 6, kRegionWidth = 24;
constexpr double kUneven = 1.25;  // times the mean of the ranks

/// The event that differs most between ranks outside of MPI: "rank 1 has 2.1 times the mean
/// page-faults".
std::string uneven_event(const Counters& counters) {
  std::string sentence;
  double most = kUneven;
  for (std::size_t i = 0; i < counters.events.size(); ++i) {
    std::map<int, double> ranks;
    for (const CounterRow& row : counters.threads) {
      ranks[row.rank] += row.outside[i].value_or(0);
    }
    if (ranks.size() < 2) continue;
    double sum = 0;
    for (const auto& [rank, count] : ranks) sum += count;
    const double mean = sum / static_cast<double>(ranks.size());
    const auto worst =
        std::max_element(ranks.begin(), ranks.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (mean < 100 || worst->second / mean <= most) continue;
    most = worst->second / mean;
    sentence = fmt::format("rank {} has {} times the mean {} outside MPI", worst->first,
                           format_ratio(most), counters.events[i].name);
  }
  return sentence;
}

std::string verdict_of(const Counters& counters) {
  std::vector<std::string> parts;
  for (const DerivedFigure& figure : counters.derived) {
    if (figure.region.empty()) parts.push_back(figure_text(figure));
  }
  if (std::string uneven = uneven_event(counters); !uneven.empty()) {
    parts.push_back(std::move(uneven));
  }
  if (parts.empty()) {
    const auto counted_events = std::count_if(counters.events.begin(), counters.events.end(),
                                              [](const auto& event) { return event.threads > 0; });
    parts.push_back(counted(counted_events, "event") + " counted, even among the ranks");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Lines event_table(const Counters& counters, const TerminalOptions& options) {
  std::vector<Column> columns{text_column("region")};
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < counters.events.size(); ++i) {
    if (counters.events[i].threads == 0) continue;
    shown.push_back(i);
    columns.push_back(number_column(counters.events[i].name));
    columns.push_back(number_column("in MPI"));
  }
  if (shown.empty()) return {};
  Table table(std::move(columns), {0, options.color});
  table.fold_beside(1);
  std::vector<const CounterRegionRow*> rows;
  for (const CounterRegionRow& row : counters.regions) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    const double of_a = a->outside_s + a->inside_s, of_b = b->outside_s + b->inside_s;
    return a->region.empty() != b->region.empty() ? a->region.empty() : of_a > of_b;
  });
  rows.resize(std::min(rows.size(), 1 + kMostRegions));
  for (const CounterRegionRow* row : rows) {
    Lines cells{row->region.empty()
                    ? "whole run"
                    : truncate_middle(printable(row->region, options.utf8), kRegionWidth)};
    for (const std::size_t i : shown) {
      const auto outside = row->outside[i], inside = row->inside[i];
      cells.push_back(count_text(outside, inside));
      cells.push_back(inside_share(outside, inside));
    }
    table.add(std::move(cells));
  }
  return table.lines();
}

}  // namespace

Lines counter_lines(const Profile& profile, const TerminalOptions& options) {
  const Counters& of = profile.counters;
  if (of.events.empty()) return {};
  Lines lines = labelled("counters: ", verdict_of(of), 5, options, Paint::cyan);
  append(lines, event_table(of, options));
  for (const CounterEventRow& event : of.events) {
    if (event.problem.empty()) continue;
    const std::string where =
        event.threads == 0 ? "not counted" : "not counted for " + counted(event.failures, "thread");
    append(lines, labelled("note: ", fmt::format("{} {}: {}", event.name, where, event.problem), 2,
                           options, Paint::dim));
  }
  Lines parts;
  for (const CounterEventRow& event : of.events) {
    if (event.threads == 0) continue;
    if (event.counted < 0.995)
      parts.push_back(fmt::format("{} counted {} of the time, the rest is estimated", event.name,
                                  format_percent(event.counted)));
    if (event.user_only) parts.push_back(event.name + " without the kernel");
  }
  parts.push_back(fmt::format("{} at {} each, {} of the time", counted(of.readings, "reading"),
                              format_seconds(of.reading_ns * 1e-9), format_percent(of.overhead)));
  append(lines,
         labelled("note: ", fmt::format("{}", fmt::join(parts, "; ")), 3, options, Paint::dim));
  return lines;
}

}  // namespace plait::report
