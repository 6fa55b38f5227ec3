// SPDX-License-Identifier: BSD-3-Clause
// Figures 3.5 and 3.6 of Stengel 2010 as text: the points, and the verdict.
#include "measure/figure_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/measured_text.hpp"
#include "model/overlap_verdict.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::measure {
namespace {

using machine::Measured;
using machine::MixedPoint;
using machine::OverlapPoint;
using Lines = std::vector<std::string>;

std::string format_us(double us) {
  return format_seconds(us * 1e-6);
}

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

template <class Verdict>
void add_verdicts(const std::vector<Verdict>& verdicts, Lines& lines) {
  for (const Verdict& verdict : verdicts) append(lines, wrap("- " + verdict.sentence));
  if (verdicts.empty()) lines.emplace_back("Nothing was measured.");
}

bool same_series(const OverlapPoint& a, const OverlapPoint& b) {
  return a.path == b.path && a.operation == b.operation && a.work == b.work && a.bytes == b.bytes;
}

bool same_series(const MixedPoint& a, const MixedPoint& b) {
  return a.senders == b.senders && a.rank0 == b.rank0;
}

std::string title_of(const OverlapPoint& point) {
  return fmt::format("{} of {} {} ({}), {} work by {}: {} alone",
                     point.operation == "isend" ? "MPI_Isend" : "MPI_Irecv",
                     format_bytes(point.bytes),
                     point.path == "network" ? "between nodes" : "inside a node", point.protocol,
                     point.work, counted(point.threads, "thread"), format_us(point.alone_us));
}

std::string title_of(const MixedPoint& point) {
  return fmt::format("{}, rank 0: {}; {} inside the node{}: {} alone",
                     counted(point.senders, "sender"), point.rank0, format_bytes(point.intra_bytes),
                     point.across_sockets ? ", across sockets" : "",
                     format_us(point.intra_us.median));
}

Table table_of(const OverlapPoint&) {
  return Table(
      {number_column("work"), number_column("both"), number_column("sum"), number_column("hidden")},
      {2});
}

Table table_of(const MixedPoint&) {
  return Table({number_column("between"), text_column("protocol"), number_column("alone"),
                number_column("both"), number_column("sum")},
               {2});
}

void add_row(const OverlapPoint& point, Table& table) {
  const model::Interval hidden = model::hidden_part(point);
  table.add({format_us(point.work_us), machine::statistic_text(point.total_us, 1, format_us),
             format_us(point.alone_us + point.work_us),
             point.work_us > 0 ? format_interval(hidden.value, hidden.low, hidden.high,
                                                 format_percent, Ends::close)
                               : "-"});
}

void add_row(const MixedPoint& point, Table& table) {
  table.add({format_bytes(point.inter_bytes), point.protocol, format_us(point.inter_us.median),
             machine::statistic_text(point.both_us, 1, format_us),
             format_us(point.intra_us.median + point.inter_us.median)});
}

/// A title and a table for each series of points.
template <class Point>
void add_series(const std::vector<Point>& points, Lines& lines) {
  for (auto first = points.begin(); first != points.end();) {
    const auto end = std::find_if(first, points.end(),
                                  [&](const Point& point) { return !same_series(*first, point); });
    lines.emplace_back();
    append(lines, wrap(title_of(*first)));
    Table table = table_of(*first);
    for (; first != end; ++first) add_row(*first, table);
    append(lines, table.lines());
  }
}

}  // namespace

Lines figure_lines(const Measured& measured, PlanFigure figure) {
  Lines lines;
  if (figure == PlanFigure::overlap) {
    add_verdicts(measured.overlap_verdicts, lines);
    lines.emplace_back();
    append(lines, wrap("A message during work (Stengel 2010, listing 3.1). Without overlap, both "
                       "take the time of the work plus that of the message."));
    add_series(measured.overlap, lines);
  } else {
    add_verdicts(measured.mixed_verdicts, lines);
    lines.emplace_back();
    append(lines, wrap("A message inside the node and one between nodes at the same time (Stengel "
                       "2010, listing 3.2). Without overlap, both take the sum of their times."));
    add_series(measured.mixed, lines);
  }
  return lines;
}

}  // namespace plait::measure
