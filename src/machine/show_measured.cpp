// SPDX-License-Identifier: BSD-3-Clause
// Prints the measurements on a machine: paths, STREAM, P(k).
#include "machine/show_measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "machine/measured_text.hpp"
#include "machine/show_measured_cells.hpp"
#include "machine/show_measured_messages.hpp"
#include "machine/show_text.hpp"

namespace plait::machine {
namespace {

void show_context(Out out, const Measured& measured) {
  std::string text;
  if (!measured.source.empty()) {
    text = "results from " + measured.source;
  } else {
    text = fmt::format("{}{} s", measured.quick ? "quick, in " : "in ",
                       number_text(measured.duration_s));
  }
  if (measured.mpi) {
    const std::string& library = measured.mpi->library;  // "Open MPI v4.1.4, package: ..."
    text += "; " + library.substr(0, library.find(','));
  }
  fmt::format_to(out, "\nMeasured    {}\n", text.substr(0, kColumns - 12));
  const std::string headline = overlap_headline(measured);
  if (!headline.empty()) show_wrapped(out, "Progress", headline);
  if (!measured.sentinel) return;
  const Sentinel& sentinel = *measured.sentinel;
  fmt::format_to(out, "Sentinel    {}: {} {}, spread {:.0f} % over {} samples\n", sentinel.kernel,
                 number_text(sentinel.median), sentinel.unit, sentinel.spread * 100,
                 sentinel.samples.size());
  if (sentinel.changed) {
    fmt::format_to(out,
                   "Warning     the speed of the machine changed during the measurement, so the\n"
                   "            results are not comparable; measure again on an idle machine\n");
  }
}

/// Latency and best bandwidth of each path, next to their bounds: the transfer of a cache line, and
/// a memcpy of the same size (of its best size if that size was not measured).
void show_path_summary(Out out, const std::vector<Path>& paths) {
  fmt::format_to(out,
                 "\nPaths: latency and best bandwidth of MPI, with bounds (cache line, memcpy)\n");
  fmt::format_to(out, "  {:<16} {:>7} {:>22} {:>7} {:>6} {:>8} {:>6}\n", "path", "pairs",
                 "half round trip us", "line us", "GB/s", "at", "memcpy");
  const auto best = [](const auto& points) {
    return std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
      return a.bandwidth_gbs < b.bandwidth_gbs;
    });
  };
  for (const Path& path : paths) {
    if (path.mpi_pingpong.empty() && path.bare_memcpy.empty() && !path.bare_line_us) continue;
    std::string latency = "-";
    std::string bandwidth = "-";
    std::string size = "-";
    auto bound = best(path.bare_memcpy);
    if (!path.mpi_pingpong.empty()) {
      const auto smallest = std::min_element(
          path.mpi_pingpong.begin(), path.mpi_pingpong.end(),
          [](const CurvePoint& a, const CurvePoint& b) { return a.bytes < b.bytes; });
      const auto fastest = best(path.mpi_pingpong);
      latency = interval_text(smallest->half_round_trip_us);
      bandwidth = number_text(fastest->bandwidth_gbs);
      size = message_size_text(fastest->bytes);
      const auto same_size =
          std::find_if(path.bare_memcpy.begin(), path.bare_memcpy.end(),
                       [&](const MemcpyPoint& point) { return point.bytes == fastest->bytes; });
      if (same_size != path.bare_memcpy.end()) bound = same_size;
    }
    fmt::format_to(out, "  {:<16} {:>7} {:>22} {:>7} {:>6} {:>8} {:>6}\n",
                   path.name.substr(0, kNameWidth),
                   fmt::format("{}/{}", path.pairs.size(), path.pairs_total), latency,
                   path.bare_line_us ? number_text(path.bare_line_us->median) : "-", bandwidth,
                   size, bound == path.bare_memcpy.end() ? "-" : number_text(bound->bandwidth_gbs));
  }
}

/// One curve over message sizes: a row of the tables by size.
struct Curve {
  std::string path;
  std::string kind;
  std::map<std::uint64_t, Statistic> time_us;
  std::map<std::uint64_t, double> gbs;
};

template <typename Point>
void add_curve(std::vector<Curve>& curves, const Path& path, const char* kind,
               const std::vector<Point>& points, Statistic Point::*time_us) {
  if (points.empty()) return;
  Curve curve{path.name, kind, {}, {}};
  for (const Point& point : points) {
    curve.time_us[point.bytes] = point.*time_us;
    if (point.bandwidth_gbs > 0) curve.gbs[point.bytes] = point.bandwidth_gbs;
  }
  curves.push_back(std::move(curve));
}

std::vector<Curve> curves_of(const std::vector<Path>& paths) {
  std::vector<Curve> curves;
  for (const Path& path : paths) {
    add_curve(curves, path, "ping-pong", path.mpi_pingpong, &CurvePoint::half_round_trip_us);
    add_curve(curves, path, "off cache", path.mpi_pingpong_off_cache,
              &CurvePoint::half_round_trip_us);
    add_curve(curves, path, "ping-ping", path.mpi_pingping, &PingPingPoint::time_us);
    add_curve(curves, path, "memcpy", path.bare_memcpy, &MemcpyPoint::one_way_us);
  }
  return curves;
}

void show_curve_table(Out out, const std::vector<Curve>& curves, const std::string& title,
                      const std::set<std::uint64_t>& all_sizes,
                      const std::function<std::string(const Curve&, std::uint64_t)>& cell) {
  const std::vector<std::uint64_t> sizes = some_of(all_sizes, 6);
  if (sizes.empty()) return;
  fmt::format_to(out, "\n{}\n  {:<16} {:<9}", title, "path", "");
  for (const std::uint64_t size : sizes) fmt::format_to(out, " {:>7}", message_size_text(size));
  fmt::format_to(out, "\n");
  for (const Curve& curve : curves) {
    std::string cells;
    for (const std::uint64_t size : sizes) cells += fmt::format(" {:>7}", cell(curve, size));
    fmt::format_to(out, "  {:<16} {:<9}{}\n", curve.path.substr(0, kNameWidth), curve.kind, cells);
  }
}

void show_curves(Out out, const std::vector<Path>& paths) {
  const std::vector<Curve> curves = curves_of(paths);
  std::set<std::uint64_t> sizes;
  std::set<std::uint64_t> sizes_with_bandwidth;
  Spread spread;
  for (const Curve& curve : curves) {
    for (const auto& [size, time_us] : curve.time_us) {
      sizes.insert(size);
      spread.add(time_us);
    }
    for (const auto& [size, gbs] : curve.gbs) sizes_with_bandwidth.insert(size);
  }
  show_curve_table(out, curves,
                   fmt::format("Time of one message in us, by message size ({})", spread.phrase()),
                   sizes, [](const Curve& curve, std::uint64_t size) {
                     const auto found = curve.time_us.find(size);
                     return found == curve.time_us.end() ? "-" : number_text(found->second.median);
                   });
  show_curve_table(out, curves, "Bandwidth of one direction in GB/s, by message size",
                   sizes_with_bandwidth, [](const Curve& curve, std::uint64_t size) {
                     const auto found = curve.gbs.find(size);
                     return found == curve.gbs.end() ? "-" : number_text(found->second);
                   });
}

struct TogetherRow {
  std::string path;
  std::string kind;
  int pairs;
  friend bool operator==(const TogetherRow&, const TogetherRow&) = default;
};

void show_multi_pair(Out out, const std::vector<Path>& paths) {
  SizeTable<TogetherRow> table;
  for (const Path& path : paths) {
    for (const MultiPairPoint& point : path.mpi_multi_pair) {
      table.add({path.name, "ping-pong", point.pairs}, point.bytes, point.bandwidth_gbs);
    }
    for (const MultiPairPoint& point : path.mpi_multi_pair_pingping) {
      table.add({path.name, "ping-ping", point.pairs}, point.bytes, point.bandwidth_gbs);
    }
  }
  table.print(out, "Several pairs at once: total GB/s",
              fmt::format("{:<16} {:<9} {:>5}", "path", "", "pairs"), [](const TogetherRow& row) {
                return fmt::format("{:<16} {:<9} {:>5}", row.path.substr(0, kNameWidth), row.kind,
                                   row.pairs);
              });
}

/// One row per kernel, one column per number of threads.
void show_stream(Out out, const std::vector<StreamResult>& stream) {
  if (stream.empty()) return;
  std::set<std::uint64_t> thread_counts;
  std::vector<std::pair<std::string, bool>> kernels;
  Spread spread;
  for (const StreamResult& result : stream) {
    thread_counts.insert(static_cast<std::uint64_t>(result.threads));
    const std::pair kernel(result.kernel, result.non_temporal);
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) {
      kernels.push_back(kernel);
    }
    spread.add(result.gbs);
  }
  const std::vector<std::uint64_t> columns = some_of(thread_counts, 6);
  fmt::format_to(out, "\nSTREAM in GB/s by number of threads ({})\n  {:<8} {:<12}", spread.phrase(),
                 "kernel", "stores");
  for (const std::uint64_t threads : columns) fmt::format_to(out, " {:>7}", threads);
  fmt::format_to(out, "\n");
  for (const std::pair<std::string, bool>& row : kernels) {
    fmt::format_to(out, "  {:<8} {:<12}", row.first, row.second ? "non-temporal" : "ordinary");
    for (const std::uint64_t threads : columns) {
      const auto found = std::find_if(stream.begin(), stream.end(), [&](const StreamResult& r) {
        return r.kernel == row.first && r.non_temporal == row.second &&
               static_cast<std::uint64_t>(r.threads) == threads;
      });
      fmt::format_to(out, " {:>7}", found == stream.end() ? "-" : number_text(found->gbs.median));
    }
    fmt::format_to(out, "\n");
  }
}

std::string fraction_of_limit(const Measured& measured, const JacobiResult& jacobi) {
  const std::optional<double> limit_mlups = jacobi_limit_mlups(measured, jacobi);
  return limit_mlups ? fmt::format("{:.0f} %", jacobi.mlups.median / *limit_mlups * 100) : "-";
}

void show_jacobi(Out out, const Measured& measured) {
  if (measured.jacobi.empty()) return;
  std::set<std::uint64_t> counts;
  for (const JacobiResult& r : measured.jacobi) counts.insert(static_cast<std::uint64_t>(r.cores));
  const std::vector<std::uint64_t> shown = some_of(counts, 8);
  fmt::format_to(out, "\nP(k): 6-point Jacobi on k cores; the limit is STREAM copy / 16 B\n");
  fmt::format_to(out, "  {:>5} {:<12} {:<14} {:<26} {:>8}\n", "cores", "stores", "grid", "MLUP/s",
                 "of limit");
  for (const JacobiResult& result : measured.jacobi) {
    if (!std::binary_search(shown.begin(), shown.end(), static_cast<std::uint64_t>(result.cores))) {
      continue;
    }
    fmt::format_to(out, "  {:>5} {:<12} {:<14} {:<26} {:>8}\n", result.cores,
                   result.non_temporal ? "non-temporal" : "ordinary",
                   fmt::format("{}x{}x{}", result.grid[0], result.grid[1], result.grid[2]),
                   interval_text(result.mlups), fraction_of_limit(measured, result));
  }
}

}  // namespace

std::string show_measured(const MachineFile& file) {
  if (!file.measured) return "\nMeasured    nothing\n";
  std::string text;
  const Out out = std::back_inserter(text);
  show_context(out, *file.measured);
  const std::vector<Path>& paths = file.measured->paths;
  const bool has_bound = std::any_of(paths.begin(), paths.end(), [](const Path& path) {
    return !path.mpi_pingpong.empty() || !path.bare_memcpy.empty() || path.bare_line_us;
  });
  if (has_bound) show_path_summary(out, paths);
  show_curves(out, paths);
  show_multi_pair(out, paths);
  text += show_messages(*file.measured);
  show_stream(out, file.measured->stream);
  show_jacobi(out, *file.measured);
  return text;
}

}  // namespace plait::machine
