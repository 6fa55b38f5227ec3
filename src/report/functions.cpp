// SPDX-License-Identifier: BSD-3-Clause
// Instrumented functions of a job: read from its ranks' files, named, and summed.
#include "report/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "plait/error.hpp"
#include "report/site_text.hpp"
#include "report/terminal_parts.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "trace/function_names.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostRows = 10;

using Key = std::tuple<std::string, std::string, int>;

/// The function itself: its first instructions may belong to one that was inlined into it.
Key key_of(const trace::InstrumentedFunction& function, const trace::Symbolizer& symbolizer) {
  const trace::Frame frame = symbolizer.frames(function.address).back();
  const std::string name =
      frame.function.empty()
          ? fmt::format("{}+{:#x}", function.address.module.text(), function.address.offset)
          : frame.function;
  return {name, frame.file, frame.line};
}

void add_count(FunctionRow& row, int rank, int thread, const trace::FunctionCount& count) {
  row.calls += count.calls;
  row.inclusive_s += count.inclusive_s;
  row.exclusive_s += count.exclusive_s;
  const auto same = std::ranges::find_if(row.by_thread, [&](const FunctionThreadRow& of) {
    return of.rank == rank && of.thread == thread;
  });
  if (same == row.by_thread.end()) {
    row.by_thread.push_back({rank, thread, count.calls, count.inclusive_s, count.exclusive_s});
    return;
  }
  same->calls += count.calls;
  same->inclusive_s += count.inclusive_s;
  same->exclusive_s += count.exclusive_s;
}

void find_worst(FunctionRow& row) {
  std::map<int, double> by_rank;
  for (const FunctionThreadRow& of : row.by_thread) by_rank[of.rank] += of.exclusive_s;
  row.ranks = static_cast<int>(by_rank.size());
  row.threads = static_cast<int>(row.by_thread.size());
  for (const auto& [rank, seconds] : by_rank) {
    if (row.worst_rank >= 0 && seconds <= row.worst_s) continue;
    row.worst_rank = rank;
    row.worst_s = seconds;
  }
}

/// A function in at most `width` columns: leaves out parameters and template arguments first, then
/// namespaces.
std::string fitting_function(std::string_view name, std::size_t width) {
  if (display_width(name) <= width) return std::string(name);
  return fitting_place(trace::short_function(name), width);
}

}  // namespace

std::vector<RankFunctions> read_functions(const std::vector<const trace::RankRecord*>& ranks,
                                          std::vector<std::string>& notes) {
  std::vector<RankFunctions> read;
  std::uint64_t lost = 0;
  for (const trace::RankRecord* record : ranks) {
    try {
      std::optional<trace::FunctionFile> file = trace::read_function_file(record->file);
      if (!file) continue;
      lost += file->lost;
      read.push_back({record->world_rank, std::move(*file)});
    } catch (const Error& error) {
      notes.emplace_back(error.what());
    }
  }
  if (lost > 0) {
    notes.push_back(
        fmt::format("{} instrumented functions or threads were not recorded, because "
                    "their files had no room; name fewer with --functions",
                    format_count(lost)));
  }
  const auto is_empty = [](const RankFunctions& of) { return of.file.functions.empty(); };
  if (!read.empty() && std::ranges::all_of(read, is_empty)) {
    notes.emplace_back(
        "no function that --functions names was called; compile the program with "
        "-finstrument-functions, or change the pattern");
  }
  return read;
}

std::vector<FunctionRow> function_rows(const std::vector<RankFunctions>& ranks,
                                       const trace::Symbolizer& symbolizer) {
  std::map<Key, FunctionRow> rows;
  for (const RankFunctions& of : ranks) {
    std::vector<FunctionRow*> row_of;
    for (const trace::InstrumentedFunction& function : of.file.functions) {
      const Key key = key_of(function, symbolizer);
      FunctionRow& row = rows[key];
      std::tie(row.name, row.file, row.line) = key;
      row.switched_off = row.switched_off || function.switched_off;
      row_of.push_back(&row);
    }
    for (const trace::FunctionThread& thread : of.file.threads) {
      for (const trace::FunctionCount& count : thread.counts) {
        add_count(*row_of[count.function], of.rank, thread.number, count);
      }
    }
  }
  std::vector<FunctionRow> sorted;
  for (auto& [key, row] : rows) {
    if (row.calls == 0) continue;
    find_worst(row);
    sorted.push_back(std::move(row));
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{}, &FunctionRow::exclusive_s);
  return sorted;
}

std::vector<std::string> function_lines(const std::vector<FunctionRow>& functions,
                                        const TerminalOptions& options) {
  if (functions.empty()) return {};
  double whole = 0;
  for (const FunctionRow& row : functions) whole += row.exclusive_s;
  Table table(
      {text_column("functions", fitting_function), number_column("calls"), number_column("itself"),
       number_column("share"), number_column("with calls"), number_column("most")},
      {0, options.color});
  std::vector<std::string> off;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const FunctionRow& row = functions[i];
    if (row.switched_off) off.push_back(row.name);
    if (i >= kMostRows) continue;
    table.add({printable(row.name, options.utf8), format_count(row.calls),
               format_seconds(row.exclusive_s),
               whole > 0 ? format_percent(row.exclusive_s / whole) : "-",
               format_seconds(row.inclusive_s),
               fmt::format("rank {}: {}", row.worst_rank, format_seconds(row.worst_s))});
  }
  std::vector<std::string> lines = table.lines();
  if (functions.size() > kMostRows) {
    lines.push_back(fmt::format("and {} in profile.json",
                                counted(functions.size() - kMostRows, "other function")));
  }
  if (!off.empty()) {
    append(lines, labelled("note: ",
                           fmt::format("switched off, because calls were too short and too "
                                       "frequent: {}",
                                       fmt::join(off, ", ")),
                           3, options, Paint::dim));
  }
  return lines;
}

}  // namespace plait::report
