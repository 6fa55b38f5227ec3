// SPDX-License-Identifier: BSD-3-Clause
// The parts of the terminal report, each a few lines of at most 80 columns.
#include "report/terminal_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/shell_word.hpp"
#include "report/alike_ranks.hpp"
#include "report/job_parts.hpp"
#include "report/site_text.hpp"
#include "report/verdict.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kWidth = kTerminalColumns;
constexpr double kNegligible = 0.001;  // of the ranks' time

/// Text from outside, made safe to print on one line of a terminal.
std::string safe(const std::string& text, const TerminalOptions& options) {
  return printable(text, options.utf8);
}

std::string outcome(const Profile& profile) {
  if (profile.signal) return fmt::format("ended by signal {}", *profile.signal);
  if (profile.exit_code) return fmt::format("exit code {}", *profile.exit_code);
  return "not ended";
}

std::string efficiency_text(const std::string& name, const EfficiencyValue& of) {
  return name + " " + (of.value ? format_percent(*of.value) : "not measured");
}

struct Bar {
  std::string label;
  const RankRow* rank;
};

/// The ranks with least, median and most computation.
std::vector<Bar> representatives(const Profile& profile) {
  std::vector<const RankRow*> order;
  for (const RankRow& rank : profile.ranks) order.push_back(&rank);
  std::stable_sort(order.begin(), order.end(), [](const RankRow* a, const RankRow* b) {
    return a->compute_s - a->compute_wait_s < b->compute_s - b->compute_wait_s;
  });
  const auto bar = [](const char* which, const RankRow* rank) {
    return Bar{fmt::format("{} rank {}", which, rank->rank), rank};
  };
  return {bar("least ", order.front()), bar("median", order[order.size() / 2]),
          bar("most  ", order.back())};
}

std::string draw(const RankRow& rank, double longest, std::size_t width, bool color) {
  if (longest <= 0) return std::string(width, ' ');
  const auto column = [&](double seconds) {
    const double part = std::clamp(seconds / longest, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(width)));
  };
  // Round the ends, not the lengths: bars of equal times then end in the same column.
  const std::size_t on_cpu = column(rank.compute_s - rank.compute_wait_s);
  const std::size_t compute = std::max(on_cpu, column(rank.compute_s));
  const std::size_t mpi = std::max(compute, column(rank.compute_s + rank.mpi_s));
  const std::size_t all = std::max(mpi, column(rank.wall_s));
  return paint(std::string(on_cpu, '#'), Paint::green, color) +
         paint(std::string(compute - on_cpu, '-'), Paint::dim, color) +
         paint(std::string(mpi - compute, '='), Paint::red, color) +
         paint(std::string(all - mpi, '.'), Paint::yellow, color) + std::string(width - all, ' ');
}

Paint paint_of(const std::string& severity) {
  if (severity == "high") return Paint::red;
  return severity == "medium" ? Paint::yellow : Paint::dim;
}

}  // namespace

void append(Lines& to, const Lines& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Lines bold_lines(const std::string& text, std::size_t max_lines, const TerminalOptions& options) {
  Lines lines = wrap(safe(text, options), kTerminalColumns, max_lines);
  for (std::string& line : lines) line = paint(line, Paint::bold, options.color);
  return lines;
}

Lines labelled(const std::string& label, const std::string& text, std::size_t max_lines,
               const TerminalOptions& options, Paint with) {
  return wrap_beside(paint(label, with, options.color), safe(text, options), kTerminalColumns,
                     max_lines);
}

Lines title_lines(const Profile& profile, const TerminalOptions& options) {
  const std::string command = truncate(safe(command_text(profile.command), options), kWidth);
  const Context& context = profile.context;
  std::string where = counted(profile.world_size, "rank");
  if (!profile.ranks.empty()) {
    const auto [least, most] = std::ranges::minmax(profile.ranks, {}, &RankRow::threads);
    if (most.threads > 1) {
      where += fmt::format(" x {} threads", threads_text(least.threads, most.threads));
    }
  }
  const std::string wall =
      fmt::format(": {}, {}", format_seconds(profile.wall_s), outcome(profile));
  if (context.hosts.size() == 1) where += " on " + context.hosts[0].name;
  if (context.hosts.size() > 1) where += fmt::format(" on {} hosts", context.hosts.size());
  if (!context.mpi.library.empty()) where += ", " + context.mpi.library;
  if (!context.cpu_model.empty()) where += ", " + context.cpu_model;
  return {paint(command, Paint::bold, options.color),
          truncate(safe(where, options), kWidth - display_width(wall)) + wall};
}

Lines part_lines(const Profile& profile, const TerminalOptions& options) {
  constexpr std::size_t kMostRows = 4, kMostListed = 24;
  if (profile.parts.empty()) return {};
  const bool waits = waits_outside_mpi(profile);
  std::vector<Column> columns{text_column("part", truncate), text_column("ranks"),
                              number_column("threads"), number_column("compute")};
  if (waits) columns.push_back(number_column("no CPU"));
  columns.insert(columns.end(), {number_column("MPI"), number_column("idle")});
  Table table(std::move(columns), {0, options.color});
  const std::size_t rows = profile.parts.size() > kMostRows ? kMostRows - 1 : profile.parts.size();
  for (std::size_t i = 0; i < rows; ++i) {
    const JobPart& part = profile.parts[i];
    const auto share = [&](double time) {
      return part.wall_s > 0 ? format_percent(time / part.wall_s) : "-";
    };
    Lines cells{safe(part.program, options),
                fmt::format("{} ({})", abridge_commas(part.ranks, kMostListed), part.count),
                threads_text(part.least_threads, part.most_threads), share(part.compute_s)};
    if (waits) cells.push_back(share(part.cpu_wait_s));
    cells.insert(cells.end(), {share(part.mpi_s), share(part.omp_idle_s)});
    table.add(std::move(cells));
  }
  Lines lines = table.lines();
  if (rows < profile.parts.size()) {
    lines.push_back(
        fmt::format("{} more parts, listed in the report", profile.parts.size() - rows));
  }
  return lines;
}

Lines missing_lines(const Profile& profile, const TerminalOptions& options) {
  if (profile.missing.empty()) return {};
  Lines lines = labelled("missing: ", profile.missing.front(), 2, options, Paint::red);
  const std::size_t others = profile.missing.size() - 1;
  if (others == 0) return lines;
  const std::string also = others == 1
                               ? profile.missing.back()
                               : fmt::format("{} more problems, listed in the report", others);
  lines.push_back(labelled("missing: ", also, 1, options, Paint::red).front());
  return lines;
}

Lines verdict_lines(const Profile& profile, const TerminalOptions& options) {
  return bold_lines(profile.verdict, 4, options);
}

Lines efficiency_lines(const Profile& profile, const TerminalOptions& options) {
  if (profile.ranks.empty()) return {};
  const EfficiencyTable& of = profile.efficiencies;
  const bool disturbed = of.cpu.value && *of.cpu.value < 0.995;
  std::string text = efficiency_text("parallel", of.parallel);
  if (disturbed && options.traced) {
    text += " (its factors, from the trace, are below)";
  } else {
    text += " = " + (disturbed ? efficiency_text("CPU", of.cpu) + " x " : "") +
            efficiency_text("load balance", of.load_balance) + " x " +
            efficiency_text("communication", of.communication);
  }
  if (!options.traced && of.transfer.value && of.transfer.kind == "lower bound") {
    text += fmt::format("; serialization, transfer {} {} each (exact with --trace)",
                        options.utf8 ? "\u2265" : ">=", format_percent(*of.transfer.value));
  }
  const OpenMp& openmp = profile.openmp;
  const bool idle = openmp.measured != "not measured" && openmp.regions.empty();
  text += openmp.measured == "no OpenMP" ? "; no OpenMP"
          : idle                         ? "; no parallel region"
                                         : "; " + efficiency_text("OpenMP threads", of.threads);
  if (profile.cpu_wait_fraction >= 0.001) {
    text +=
        fmt::format("; waited {} of the time for a CPU", format_percent(profile.cpu_wait_fraction));
  }
  return labelled("efficiency: ", text, 3, options, Paint::cyan);
}

namespace {

/// A row for each group of ranks that behave alike: the bar of a typical one, and how much the
/// computation of the others differs.
Lines group_lines(const Profile& profile, const std::vector<AlikeRanks>& groups,
                  const TerminalOptions& options) {
  constexpr std::size_t label_columns = 24, number_columns = 8;  // with the two blanks before
  std::map<int, const RankRow*> rows;
  double longest = 0;
  bool idle = false;
  for (const RankRow& rank : profile.ranks) {
    rows[rank.rank] = &rank;
    longest = std::max(longest, rank.wall_s);
    idle = idle || rank.omp_idle_s > 0;
  }
  const bool waits = waits_outside_mpi(profile);
  std::vector<Column> columns{
      text_column(
          fmt::format("{} in {}: # compute, = MPI{}{}", counted(profile.ranks.size(), "rank"),
                      counted(groups.size(), "group"), waits ? ", - no CPU" : "",
                      idle ? ", . idle" : ""),
          truncate),
      number_column("compute"), number_column("least"), number_column("most")};
  if (waits) columns.push_back(number_column("no CPU"));
  columns.push_back(number_column("MPI"));
  if (idle) columns.push_back(number_column("idle"));
  const std::size_t numbers = 1 + number_columns * (columns.size() - 1);
  const std::size_t width = kWidth - label_columns - 1 - numbers;
  Table table(std::move(columns), {0, options.color});
  for (const AlikeRanks& group : groups) {
    const RankRow& typical = *rows.at(group.typical);
    // Of the same time for all, as the bars: ranks of one group may have started at different
    // times.
    const auto share = [&](double part) {
      return longest > 0 ? format_percent(part / longest) : "-";
    };
    Lines cells{pad(name_of(group, label_columns), label_columns + 1) +
                    draw(typical, longest, width, options.color),
                share(group.compute_s.median), share(group.compute_s.least),
                share(group.compute_s.most)};
    if (waits) cells.push_back(share(group.cpu_wait_s.median));
    cells.push_back(share(group.mpi_s.median));
    if (idle) cells.push_back(share(group.omp_idle_s.median));
    table.add(std::move(cells));
  }
  return table.lines();
}

}  // namespace

Lines rank_lines(const Profile& profile, const TerminalOptions& options, std::size_t max_bars) {
  if (profile.ranks.empty()) return {};
  if (profile.ranks.size() > kMostRanksShown) {
    const std::vector<AlikeRanks> groups = alike_ranks(profile.ranks, max_bars);
    if (groups.size() > 1) return group_lines(profile, groups, options);
  }
  std::vector<Bar> bars;
  if (profile.ranks.size() > max_bars) {
    bars = representatives(profile);
  } else {
    for (const RankRow& rank : profile.ranks) {
      bars.push_back({fmt::format("rank {}", rank.rank), &rank});
    }
  }
  std::size_t label_width = 0;
  double longest = 0;
  for (const Bar& bar : bars) {
    label_width = std::max(label_width, bar.label.size());
    longest = std::max(longest, bar.rank->wall_s);
  }
  const bool waits = waits_outside_mpi(profile);
  const std::size_t numbers = waits ? 33 : 25;  // each after two blanks
  const std::size_t width = kWidth - label_width - 1 - numbers;
  const bool grouped = profile.ranks.size() > max_bars;
  const std::string ranks = counted(profile.ranks.size(), "rank");
  const std::string legend =
      (grouped ? "3 of " + ranks : ranks) +
      (waits ? ": # compute, - no CPU, = MPI, . idle" : ": # compute, = MPI, . idle threads");
  std::vector<Column> columns{text_column(legend), number_column("compute")};
  if (waits) columns.push_back(number_column("no CPU"));
  columns.insert(columns.end(), {number_column("MPI"), number_column("idle")});
  Table table(std::move(columns), {0, options.color});
  for (const Bar& bar : bars) {
    const double wall = bar.rank->wall_s;
    const auto share = [&](double part) { return wall > 0 ? format_percent(part / wall) : "-"; };
    Lines cells{pad(bar.label, label_width + 1) + draw(*bar.rank, longest, width, options.color),
                share(bar.rank->compute_s - bar.rank->compute_wait_s)};
    if (waits) cells.push_back(share(bar.rank->compute_wait_s));
    cells.insert(cells.end(), {share(bar.rank->mpi_s), share(bar.rank->omp_idle_s)});
    table.add(std::move(cells));
  }
  return table.lines();
}

Lines call_lines(const Profile& profile, const TerminalOptions& options, std::size_t rows) {
  const auto sites = sites_by_time(profile, Callers::apart);
  if (sites.empty() || rows == 0) return {};
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  Table table({text_column("top calls", truncate), text_column("where", fitting_place),
               number_column("calls"), number_column("bytes"), number_column("time"),
               number_column("share")},
              {0, options.color});
  for (std::size_t i = 0; i < std::min(rows, sites.size()); ++i) {
    const SiteRow& site = sites[i].calls;
    if (i > 1 && site.time_s < kNegligible * wall) break;
    table.add({safe(site.call, options), safe(sites[i].name.text(), options),
               format_count(site.count), format_bytes(site.bytes), format_seconds(site.time_s),
               wall > 0 ? format_percent(site.time_s / wall) : "-"});
  }
  return table.lines();
}

constexpr std::size_t kFixLines = 5;

Lines finding_lines(const Finding& finding, const TerminalOptions& options, std::size_t each) {
  const std::string what =
      finding.cost.empty() ? finding.what : fmt::format("{} ({})", finding.what, finding.cost);
  Lines lines = labelled(finding.severity + ": ", what, each, options, paint_of(finding.severity));
  if (!finding.fix.empty()) {
    // Keep commands whole where there is room, so that they can be copied.
    const Lines fix =
        labelled("  fix: ", finding.fix, each == 1 ? 1 : kFixLines, options, Paint::green);
    append(lines, fix);
  }
  return lines;
}

Lines region_lines(const Profile& profile, const TerminalOptions& options) {
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  if (profile.regions.empty() || wall <= 0) return {};
  std::vector<RegionRow> regions = profile.regions;
  std::stable_sort(regions.begin(), regions.end(),
                   [](const RegionRow& a, const RegionRow& b) { return a.time_s > b.time_s; });
  std::vector<std::string> parts;
  for (const RegionRow& region : regions) {
    const double mpi = region.time_s > 0 ? region.mpi_s / region.time_s : 0;
    parts.push_back(fmt::format("{} {} ({} in MPI)", region.name,
                                format_percent(region.time_s / wall), format_percent(mpi)));
  }
  return labelled("regions: ", fmt::format("{}", fmt::join(parts, ", ")), 1, options, Paint::dim);
}

Lines tool_lines(const Profile& profile, const TerminalOptions& options) {
  const Overhead& of = profile.overhead;
  Lines lines;
  if (!profile.notes.empty() && !profile.ranks.empty()) {
    lines = labelled("note: ", profile.notes.front(), 1, options, Paint::dim);
  }
  if (of.calls == 0) return lines;
  std::string text = of.ns_per_call > 0 ? fmt::format("{} per call, {} of the time",
                                                      format_seconds(of.ns_per_call * 1e-9),
                                                      format_percent(of.fraction))
                                        : "not calibrated";
  if (of.lost_records > 0)
    text += fmt::format(", {} calls not recorded", format_count(of.lost_records));
  if (!of.unseen_entry_points.empty()) {
    text += fmt::format(", {} not recorded: {}", counted(of.unseen_entry_points.size(), "function"),
                        fmt::join(of.unseen_entry_points, " "));
  }
  const Lines cost = labelled("plait overhead: ", text, 1, options, Paint::dim);
  append(lines, cost);
  return lines;
}

Lines next_lines(const Profile& profile, const TerminalOptions& options,
                 std::size_t findings_left) {
  Lines lines;
  if (!options.result.empty()) {
    const std::string more =
        findings_left == 0 ? "" : fmt::format(" (with {})", counted(findings_left, "more finding"));
    const std::string label = "report: ";
    lines.push_back(label +
                    truncate_middle(safe(options.result, options),
                                    kWidth - label.size() - display_width(more)) +
                    more);
  }
  // Broken at blanks only, so that it can be copied.
  const Lines next = labelled("next: ", profile.next, 3, options, Paint::bold);
  append(lines, next);
  return lines;
}

}  // namespace plait::report
