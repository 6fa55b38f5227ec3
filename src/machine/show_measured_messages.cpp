// SPDX-License-Identifier: BSD-3-Clause
// Prints the cost of messages on a cluster: LogGP, switches, overlap, all-to-all, collectives.
#include "machine/show_measured_messages.hpp"

#include <cmath>
#include <optional>

#include "machine/show_measured_cells.hpp"

namespace plait::machine {
namespace {

/// The name of the path with this id.
std::string name_of(const Measured& measured, const std::string& id) {
  for (const Path& path : measured.paths) {
    if (path.id == id) return path.name.substr(0, kNameWidth);
  }
  return id;
}

/// A parameter in another unit; an inferred parameter as a range.
std::string parameter_text(const Estimate& value, double unit) {
  if (value.measured) return number_text(value.value * unit);
  return fmt::format("{:.2g}..{:.2g}", value.low * unit, value.high * unit);
}

void show_loggp(Out out, const std::vector<Path>& paths) {
  Spread spread;
  std::string rows;
  for (const Path& path : paths) {
    if (!path.loggp) continue;
    const LogGp& model = *path.loggp;
    for (const Estimate* value : {&model.latency_s, &model.overhead_s, &model.gap_s,
                                  &model.seconds_per_byte, &model.overhead_per_byte_s}) {
      if (value->measured) spread.add(*value);
    }
    const double gap_per_byte = model.seconds_per_byte.value;
    fmt::format_to(std::back_inserter(rows), "  {:<16} {:>12} {:>12} {:>12} {:>6} {:>8} {:>6}\n",
                   path.name.substr(0, kNameWidth), parameter_text(model.latency_s, 1e6),
                   parameter_text(model.overhead_s, 1e6), parameter_text(model.gap_s, 1e6),
                   gap_per_byte > 0 ? number_text(1e-9 / gap_per_byte) : "-",
                   parameter_text(model.overhead_per_byte_s, 1e9),
                   model.eager_limit > 0 ? message_size_text(model.eager_limit) : "-");
  }
  if (rows.empty()) return;
  fmt::format_to(
      out,
      "\nLogGP: a message of n bytes takes 2 (o + n O) + L + n G; GB/s is 1/G; inferred\n"
      "values are ranges ({})\n  {:<16} {:>12} {:>12} {:>12} {:>6} {:>8} {:>6}\n{}",
      spread.phrase(), "path", "L us", "o us", "g us", "GB/s", "O ns/B", "eager", rows);
}

std::string rate_text(double seconds_per_byte) {
  return seconds_per_byte > 0 ? number_text(1e-9 / seconds_per_byte) : "-";
}

void show_switches(Out out, const std::vector<Path>& paths) {
  bool first = true;
  for (const Path& path : paths) {
    for (const ProtocolSwitch& found : path.switches) {
      if (first) {
        fmt::format_to(
            out, "\nProtocol switches: where the time of a message jumps or its slope changes\n");
        fmt::format_to(out, "  {:<16} {:>7} {:>7} {:>8} {:>6} {:>6}  {}\n", "path", "up to", "from",
                       "jump us", "GB/s", "after", "kind");
        first = false;
      }
      fmt::format_to(
          out, "  {:<16} {:>7} {:>7} {:>8} {:>6} {:>6}  {}\n", path.name.substr(0, kNameWidth),
          message_size_text(found.bytes), message_size_text(found.beyond),
          fmt::format("{}{}", found.jump_us < 0 ? "-" : "+", number_text(std::abs(found.jump_us))),
          rate_text(found.seconds_per_byte_before), rate_text(found.seconds_per_byte_after),
          found.kind == "unnamed" ? "unnamed" : "eager to rendezvous");
    }
  }
}

void show_verdicts(Out out, const Measured& measured) {
  if (measured.overlap_verdicts.empty()) return;
  fmt::format_to(out, "\nDo messages move while the program computes?\n");
  fmt::format_to(out, "  {:<16} {:<10} {:>6}  {:<4} {}\n", "path", "messages", "hidden", "move",
                 "setting");
  for (const OverlapVerdict& verdict : measured.overlap_verdicts) {
    fmt::format_to(out, "  {:<16} {:<10} {:>6}  {:<4} {:.37}\n", name_of(measured, verdict.path),
                   verdict.protocol, fmt::format("{:.0f} %", verdict.overlapped * 100),
                   verdict.progresses ? "yes" : "no",
                   verdict.setting.empty() ? "default" : verdict.setting);
  }
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

void show_overlap(Out out, const Measured& measured) {
  if (measured.overlap.empty()) return;
  fmt::format_to(out, "\nOverlap: a message during work of about the same duration\n");
  std::vector<OverlapPoint> points = balanced_points(measured.overlap);
  std::ranges::stable_sort(points, {}, &OverlapPoint::setting);
  std::optional<std::string> setting;
  for (const OverlapPoint& point : points) {
    if (setting != point.setting) {
      setting = point.setting;
      fmt::format_to(out, "  setting: {:.60}\n", setting->empty() ? "default" : *setting);
      fmt::format_to(out, "  {:<14} {:<5} {:>7} {:<7} {:>10} {:>9}  {}\n", "path", "call", "size",
                     "work", "message us", "work us", "both us");
    }
    fmt::format_to(out, "  {:<14} {:<5} {:>7} {:<7} {:>10} {:>9}  {}\n",
                   name_of(measured, point.path).substr(0, 14), point.operation,
                   message_size_text(point.bytes), point.work, number_text(point.alone_us),
                   number_text(point.work_us), interval_text(point.total_us));
  }
}

void show_mixed(Out out, const std::vector<MixedPoint>& points) {
  if (points.empty()) return;
  fmt::format_to(out, "\nA message inside a node and one between nodes at the same time, us\n");
  fmt::format_to(out, "  {:>7} {:<10} {:>8} {:>8} {:>9} {:>9}  {}\n", "senders", "protocol",
                 "inside", "between", "alone", "alone", "both");
  for (const MixedPoint& point : points) {
    fmt::format_to(out, "  {:>7} {:<10} {:>8} {:>8} {:>9} {:>9}  {}\n", point.senders,
                   point.protocol, message_size_text(point.intra_bytes),
                   message_size_text(point.inter_bytes), number_text(point.intra_us.median),
                   number_text(point.inter_us.median), interval_text(point.both_us));
  }
}

struct AllToAllRow {
  int nodes;
  int per_node;
  int per_socket;
  std::string placement;
  friend bool operator==(const AllToAllRow&, const AllToAllRow&) = default;
};

void show_all_to_all(Out out, const std::vector<AllToAllPoint>& points) {
  SizeTable<AllToAllRow> table;
  for (const AllToAllPoint& point : points) {
    table.add({point.nodes, point.ranks_per_node, point.ranks_per_socket, point.placement},
              point.bytes, point.bandwidth_gbs);
  }
  const auto cells = [](const AllToAllRow& row) {
    return fmt::format("{:>5} {:>8} {:>10}  {:<8}", row.nodes, row.per_node, row.per_socket,
                       row.placement);
  };
  table.print(out, "All-to-all: GB/s sent per process",
              fmt::format("{:>5} {:>8} {:>10}  {:<8}", "nodes", "per node", "per socket", "ranks"),
              cells);
}

struct CollectiveRow {
  std::string operation;
  int ranks;
  int nodes;
  friend bool operator==(const CollectiveRow&, const CollectiveRow&) = default;
};

void show_collectives(Out out, const std::vector<CollectivePoint>& points) {
  SizeTable<CollectiveRow> table;
  for (const CollectivePoint& point : points) {
    table.add({point.operation, point.ranks, point.nodes}, point.bytes, point.time_us);
  }
  const auto cells = [](const CollectiveRow& row) {
    return fmt::format("{:<16.16} {:>5} {:>5}", row.operation, row.ranks, row.nodes);
  };
  table.print(out, "Collectives in us, by bytes per rank",
              fmt::format("{:<16} {:>5} {:>5}", "operation", "ranks", "nodes"), cells, 6);
}

}  // namespace

std::string show_messages(const Measured& measured) {
  std::string text;
  const Out out = std::back_inserter(text);
  show_loggp(out, measured.paths);
  show_switches(out, measured.paths);
  show_verdicts(out, measured);
  show_overlap(out, measured);
  show_mixed(out, measured.mixed);
  show_all_to_all(out, measured.all_to_all);
  show_collectives(out, measured.collectives);
  return text;
}

}  // namespace plait::machine
