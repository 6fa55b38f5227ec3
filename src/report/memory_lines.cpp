// SPDX-License-Identifier: BSD-3-Clause
// Memory and energy on a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "report/resource_lines.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostRanks = 6;

std::string host_text(const MemoryHostRow& host) {
  std::string text = fmt::format("{} on {}", format_bytes(host.peak), host.host);
  if (host.limit == 0) return text;
  return text + fmt::format(", {} of {} of {}",
                            format_percent(static_cast<double>(host.peak) /
                                           static_cast<double>(host.limit)),
                            format_bytes(host.limit), host.limit_name);
}

/// "user 1.40-1.45 s": the least and the most of all ranks; empty if a rank has none.
/// @param value  of a rank
template <class Value>
std::string range_text(const char* name, const std::vector<MemoryRankRow>& ranks, Value value,
                       std::string (*format)(double)) {
  std::vector<double> values;
  for (const MemoryRankRow& rank : ranks) {
    const std::optional<double> of = value(rank);
    if (!of) return "";
    values.push_back(*of);
  }
  const auto [low, high] = std::ranges::minmax(values);
  return fmt::format("{} {}", name, format_range(low, high, format, Ends::close));
}

}  // namespace

Lines usage_lines(const Profile& profile, const TerminalOptions& options) {
  const auto& ranks = profile.memory.ranks;
  if (ranks.empty()) return {};
  std::vector<std::string> parts{
      range_text(
          "user", ranks, [](const auto& rank) { return rank.user_s; }, format_seconds),
      range_text(
          "system", ranks, [](const auto& rank) { return rank.system_s; }, format_seconds),
      range_text(
          "memory", ranks, [](const auto& rank) { return rank.resident; }, format_bytes),
      range_text(
          "peak", ranks, [](const auto& rank) { return rank.peak; }, format_bytes)};
  std::erase(parts, "");
  return labelled("per rank: ", fmt::format("{}", fmt::join(parts, ", ")), 2, options, Paint::cyan);
}

Lines memory_lines(const Profile& profile, const TerminalOptions& options) {
  const Memory& of = profile.memory;
  if (!of.heap || of.ranks.empty() || of.hosts.empty()) return {};
  const auto fullest =
      std::max_element(of.hosts.begin(), of.hosts.end(),
                       [](const auto& a, const auto& b) { return a.peak < b.peak; });
  Lines lines = labelled("memory: ", "at most " + host_text(*fullest), 2, options, Paint::cyan);
  std::vector<const MemoryRankRow*> rows;
  for (const MemoryRankRow& row : of.ranks) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->peak > b->peak; });
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kMostRanks));
  Table table(
      {text_column(all > rows.size() ? fmt::format("{} of {} ranks", rows.size(), all) : "rank"),
       number_column("peak"), number_column("at end"), number_column("heap peak"),
       number_column("not freed"), number_column("allocations"), number_column("faults")},
      {0, options.color});
  for (const MemoryRankRow* row : rows) {
    table.add({fmt::format("rank {}", row->rank), format_bytes(row->peak),
               format_bytes(row->resident), format_bytes(row->heap_peak),
               format_bytes(row->heap_live), format_count(row->allocations),
               format_count(row->minor_faults + row->major_faults)});
  }
  append(lines, table.lines());
  append(lines, usage_lines(profile, options));
  return lines;
}

Lines energy_lines(const Profile& profile, const TerminalOptions& options) {
  std::vector<std::string> parts;
  for (const EnergyRow& row : profile.counters.energy) {
    parts.push_back(fmt::format("{} of {} {} J, {} W", row.name, row.host,
                                format_number(row.joules), format_number(row.watts)));
  }
  if (parts.empty() || profile.counters.events.empty()) return {};
  return labelled(
      "energy: ", fmt::format("{} (RAPL, of all programs there)", fmt::join(parts, "; ")), 3,
      options, Paint::cyan);
}

}  // namespace plait::report
