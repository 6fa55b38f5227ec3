// SPDX-License-Identifier: BSD-3-Clause
// Prints the cost of messages on a cluster: LogGP, switches, overlap, all-to-all, collectives.
#include "machine/show_measured_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/measured_text.hpp"
#include "machine/show_measured_cells.hpp"
#include "text/interval.hpp"

namespace plait::machine {
namespace {

/// The name of the path with this id.
std::string name_of(const Measured& measured, const std::string& id) {
  for (const Path& path : measured.paths) {
    if (path.id == id) return path.name;
  }
  return id;
}

/// A parameter in another unit; an inferred parameter as a range.
std::string parameter_text(const Estimate& value, double unit) {
  if (value.measured) return format_number(value.value * unit);
  return format_range(value.low * unit, value.high * unit, format_number, Ends::close);
}

/// The bandwidth of a slope, in GB/s.
std::string gbs_of(double seconds_per_byte) {
  return number_or_dash(seconds_per_byte > 0 ? 1e-9 / seconds_per_byte : 0);
}

void show_loggp(std::string& out, const std::vector<Path>& paths) {
  Spread spread;
  Table table({text_column("path", truncate), number_column("L us"), number_column("o us"),
               number_column("g us"), number_column("GB/s"), number_column("O ns/B"),
               number_column("eager")},
              kIndented);
  for (const Path& path : paths) {
    if (!path.loggp) continue;
    const LogGp& model = *path.loggp;
    for (const Estimate* value : {&model.latency_s, &model.overhead_s, &model.gap_s,
                                  &model.seconds_per_byte, &model.overhead_per_byte_s}) {
      if (value->measured) spread.add(*value);
    }
    table.add({path.name, parameter_text(model.latency_s, 1e6),
               parameter_text(model.overhead_s, 1e6), parameter_text(model.gap_s, 1e6),
               gbs_of(model.seconds_per_byte.value), parameter_text(model.overhead_per_byte_s, 1e9),
               model.eager_limit > 0 ? format_bytes(model.eager_limit) : "-"});
  }
  if (table.empty()) return;
  out += fmt::format(
      "\nLogGP: a message of n bytes takes 2 (o + n O) + L + n G; GB/s is 1/G; inferred\n"
      "values are ranges ({})\n{}",
      spread.phrase(), table.text());
}

void show_switches(std::string& out, const std::vector<Path>& paths) {
  Table table({text_column("path", truncate), number_column("up to"), number_column("from"),
               number_column("jump us"), number_column("GB/s"), number_column("after"),
               text_column("kind")},
              kIndented);
  for (const Path& path : paths) {
    for (const ProtocolSwitch& found : path.switches) {
      table.add({path.name, format_bytes(found.bytes), format_bytes(found.beyond),
                 (found.jump_us < 0 ? "-" : "+") + format_number(std::abs(found.jump_us)),
                 gbs_of(found.seconds_per_byte_before), gbs_of(found.seconds_per_byte_after),
                 found.kind == "unnamed" ? "unnamed" : "eager to rendezvous"});
    }
  }
  if (table.empty()) return;
  out += "\nProtocol switches: where the time of a message jumps or its slope changes\n";
  out += table.text();
}

/// "3.0 % (1.0-5.0 %)"; "-" if there is no quiet point.
template <class Verdict>
std::string hidden_cell(const Verdict& verdict) {
  if (verdict.points == 0 && verdict.undecided) return "-";
  if (verdict.points == 0) return format_percent(verdict.overlapped);
  return format_interval(verdict.overlapped, verdict.low, verdict.high, format_percent,
                         Ends::close);
}

void show_verdicts(std::string& out, const Measured& measured) {
  if (measured.overlap_verdicts.empty()) return;
  Table table({text_column("path", truncate), text_column("messages"), number_column("hidden"),
               text_column("move"), text_column("setting", truncate)},
              kIndented);
  for (const OverlapVerdict& verdict : measured.overlap_verdicts) {
    table.add({name_of(measured, verdict.path), verdict.protocol, hidden_cell(verdict),
               verdict.undecided    ? "undecided"
               : verdict.progresses ? "yes"
                                    : "no",
               verdict.setting.empty() ? "default" : verdict.setting});
  }
  out += "\nDo messages move while the program computes?\n" + table.text();
}

bool same_series(const OverlapPoint& a, const OverlapPoint& b) {
  return a.path == b.path && a.operation == b.operation && a.protocol == b.protocol &&
         a.bytes == b.bytes && a.work == b.work && a.setting == b.setting;
}

/// How much the duration of the work differs from that of the message, as the log of their ratio.
double imbalance(const OverlapPoint& point) {
  return std::abs(std::log(std::max(point.work_us, 1e-3) / std::max(point.alone_us, 1e-3)));
}

/// The point of each series whose work is closest to the time of the message.
std::vector<OverlapPoint> balanced_points(const std::vector<OverlapPoint>& points) {
  std::vector<OverlapPoint> chosen;
  for (const OverlapPoint& point : points) {
    const auto found = std::find_if(chosen.begin(), chosen.end(), [&](const OverlapPoint& other) {
      return same_series(point, other);
    });
    if (found == chosen.end()) {
      chosen.push_back(point);
    } else if (imbalance(point) < imbalance(*found)) {
      *found = point;
    }
  }
  return chosen;
}

void show_overlap(std::string& out, const Measured& measured) {
  if (measured.overlap.empty()) return;
  out += "\nOverlap: a message during work of about the same duration\n";
  std::vector<OverlapPoint> points = balanced_points(measured.overlap);
  std::ranges::stable_sort(points, {}, &OverlapPoint::setting);
  for (auto first = points.begin(); first != points.end();) {
    const auto end = std::find_if(first, points.end(), [&](const OverlapPoint& point) {
      return point.setting != first->setting;
    });
    Table table({text_column("path", truncate), text_column("call"), number_column("size"),
                 text_column("work"), number_column("message us"), number_column("work us"),
                 text_column("both us")},
                kIndented);
    out += "  setting: " + truncate(first->setting.empty() ? "default" : first->setting, 60) + '\n';
    for (; first != end; ++first) {
      table.add({name_of(measured, first->path), first->operation, format_bytes(first->bytes),
                 first->work, format_number(first->alone_us), format_number(first->work_us),
                 statistic_text(first->total_us, 1, format_number)});
    }
    out += table.text();
  }
}

void show_mixed(std::string& out, const std::vector<MixedPoint>& points) {
  if (points.empty()) return;
  out += "\nA message inside a node and one between nodes at the same time, us\n";
  Table table({number_column("senders"), text_column("rank 0"), number_column("inside"),
               number_column("between"), text_column("protocol"), number_column("alone"),
               number_column("alone"), text_column("both")},
              kIndented);
  for (const MixedPoint& point : points) {
    table.add({std::to_string(point.senders), point.rank0.empty() ? "-" : point.rank0,
               format_bytes(point.intra_bytes), format_bytes(point.inter_bytes), point.protocol,
               format_number(point.intra_us.median), format_number(point.inter_us.median),
               statistic_text(point.both_us, 1, format_number)});
  }
  out += table.text();
}

void show_mixed_verdicts(std::string& out, const std::vector<MixedVerdict>& verdicts) {
  if (verdicts.empty()) return;
  out += "\nDo messages inside a node and between nodes overlap?\n";
  Table table({number_column("senders"), text_column("rank 0"), text_column("between"),
               number_column("hidden"), text_column("overlap"), text_column("because", truncate)},
              kIndented);
  for (const MixedVerdict& verdict : verdicts) {
    table.add({std::to_string(verdict.senders), verdict.rank0.empty() ? "-" : verdict.rank0,
               verdict.protocol, hidden_cell(verdict),
               verdict.undecided  ? "undecided"
               : verdict.overlaps ? "yes"
                                  : "no",
               verdict.reason});
  }
  out += table.text();
}

struct AllToAllRow {
  int nodes;
  int per_node;
  int per_socket;
  std::string placement;
  friend bool operator==(const AllToAllRow&, const AllToAllRow&) = default;
};

void show_all_to_all(std::string& out, const std::vector<AllToAllPoint>& points) {
  SizeTable<AllToAllRow> table;
  for (const AllToAllPoint& point : points) {
    table.add({point.nodes, point.ranks_per_node, point.ranks_per_socket, point.placement},
              point.bytes, point.bandwidth_gbs);
  }
  const auto cells = [](const AllToAllRow& row) {
    return std::vector{std::to_string(row.nodes), std::to_string(row.per_node),
                       std::to_string(row.per_socket), row.placement};
  };
  table.print(out, "All-to-all: GB/s sent per process",
              {number_column("nodes"), number_column("per node"), number_column("per socket"),
               text_column("ranks")},
              cells, 5);
}

struct CollectiveRow {
  std::string operation;
  int ranks;
  int nodes;
  friend bool operator==(const CollectiveRow&, const CollectiveRow&) = default;
};

void show_collectives(std::string& out, const std::vector<CollectivePoint>& points) {
  SizeTable<CollectiveRow> table;
  for (const CollectivePoint& point : points) {
    table.add({point.operation, point.ranks, point.nodes}, point.bytes, point.time_us);
  }
  const auto cells = [](const CollectiveRow& row) {
    return std::vector{row.operation, std::to_string(row.ranks), std::to_string(row.nodes)};
  };
  table.print(out, "Collectives in us, by bytes per rank",
              {text_column("operation", truncate), number_column("ranks"), number_column("nodes")},
              cells, 6);
}

}  // namespace

std::string show_messages(const Measured& measured) {
  std::string text;
  show_loggp(text, measured.paths);
  show_switches(text, measured.paths);
  show_verdicts(text, measured);
  show_overlap(text, measured);
  show_mixed_verdicts(text, measured.mixed_verdicts);
  show_mixed(text, measured.mixed);
  show_all_to_all(text, measured.all_to_all);
  show_collectives(text, measured.collectives);
  return text;
}

}  // namespace plait::machine
