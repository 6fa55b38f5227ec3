// SPDX-License-Identifier: BSD-3-Clause
// Prints the measurements on a machine: paths, STREAM, P(k).
#include "machine/show_measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "machine/figure_checks.hpp"
#include "machine/measured_text.hpp"
#include "machine/show_measured_cells.hpp"
#include "machine/show_measured_messages.hpp"
#include "text/counted.hpp"
#include "text/extents.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::machine {
namespace {

void labelled(std::string& out, const char* label, const std::string& text, std::size_t lines) {
  out += joined_lines(wrap_beside(pad(label, 12), text, kTerminalColumns, lines));
}

void show_context(std::string& out, const Measured& measured) {
  std::string text;
  if (!measured.source.empty()) {
    text = "results from " + measured.source;
  } else {
    text = (measured.quick ? "quick, in " : "in ") + format_seconds(measured.duration_s);
    if (measured.runs > 1)
      text += fmt::format(", merged with {} before", counted(measured.runs - 1, "measurement"));
  }
  if (measured.mpi) {
    const std::string& library = measured.mpi->library;  // "Open MPI v4.1.4, package: ..."
    text += "; " + library.substr(0, library.find(','));
  }
  out += '\n';
  labelled(out, "Measured", text, 2);
  labelled(out, "Progress", overlap_headline(measured), 6);
  labelled(out, "Left out", unusable_sentence(measured), 12);
  for (const std::string& anomaly : measured.anomalies) labelled(out, "Odd", anomaly, 3);
  if (measured.waited_for_cpu > 0) {
    labelled(out, "Waited",
             format_percent(measured.waited_for_cpu) + " of the time for a CPU, all threads", 2);
  }
  if (!measured.sentinel) return;
  const Sentinel& sentinel = *measured.sentinel;
  labelled(out, "Sentinel",
           fmt::format("{}: {} {}, spread {} over {} samples", sentinel.kernel,
                       format_number(sentinel.median), sentinel.unit,
                       format_percent(sentinel.spread), sentinel.samples.size()),
           2);
  if (sentinel.changed) {
    labelled(out, "Warning",
             "the speed of the machine changed during the measurement, so the results are not "
             "comparable; measure again on an idle machine",
             3);
  }
}

/// Latency and best bandwidth of each path, next to their bounds: the transfer of a cache line, and
/// a memcpy of the same size (of its best size if that size was not measured).
void show_path_summary(std::string& out, const std::vector<Path>& paths) {
  out += "\nPaths: latency and best bandwidth of MPI, with bounds (cache line, memcpy)\n";
  Table table({text_column("path", truncate), number_column("pairs"),
               number_column("half round trip us"), number_column("line us"), number_column("GB/s"),
               number_column("at"), number_column("memcpy")},
              kIndented);
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
      latency = statistic_text(smallest->half_round_trip_us, 1, format_number);
      bandwidth = format_number(fastest->bandwidth_gbs);
      size = format_bytes(fastest->bytes);
      const auto same_size =
          std::find_if(path.bare_memcpy.begin(), path.bare_memcpy.end(),
                       [&](const MemcpyPoint& point) { return point.bytes == fastest->bytes; });
      if (same_size != path.bare_memcpy.end()) bound = same_size;
    }
    table.add({path.name, fmt::format("{}/{}", path.pairs.size(), path.pairs_total), latency,
               path.bare_line_us ? format_number(path.bare_line_us->median) : "-", bandwidth, size,
               bound == path.bare_memcpy.end() ? "-" : format_number(bound->bandwidth_gbs)});
  }
  out += table.text();
}

/// One curve over message sizes: a row of the tables by size.
struct Curve {
  std::string path;
  std::string kind;
  friend bool operator==(const Curve&, const Curve&) = default;
};

struct CurveTables {
  SizeTable<Curve> time_us;
  SizeTable<Curve> gbs;
};

template <typename Point>
void add_curve(CurveTables& tables, const Path& path, const char* kind,
               const std::vector<Point>& points, Statistic Point::*time_us) {
  for (const Point& point : points) {
    tables.time_us.add({path.name, kind}, point.bytes, point.*time_us);
    if (point.bandwidth_gbs <= 0) continue;
    tables.gbs.add({path.name, kind}, point.bytes, point.bandwidth_gbs);
  }
}

void show_curves(std::string& out, const std::vector<Path>& paths) {
  CurveTables tables;
  for (const Path& path : paths) {
    add_curve(tables, path, "ping-pong", path.mpi_pingpong, &CurvePoint::half_round_trip_us);
    add_curve(tables, path, "off cache", path.mpi_pingpong_off_cache,
              &CurvePoint::half_round_trip_us);
    add_curve(tables, path, "ping-ping", path.mpi_pingping, &PingPingPoint::time_us);
    add_curve(tables, path, "memcpy", path.bare_memcpy, &MemcpyPoint::one_way_us);
  }
  const std::vector<Column> columns{text_column("path", truncate), text_column("")};
  const auto cells = [](const Curve& of) { return std::vector{of.path, of.kind}; };
  tables.time_us.print(out, "Time of one message in us, by message size", columns, cells, 6);
  tables.gbs.print(out, "Bandwidth of one direction in GB/s, by message size", columns, cells, 6);
}

struct TogetherRow {
  Curve curve;
  int pairs;
  friend bool operator==(const TogetherRow&, const TogetherRow&) = default;
};

void show_multi_pair(std::string& out, const std::vector<Path>& paths) {
  SizeTable<TogetherRow> table;
  for (const Path& path : paths) {
    for (const MultiPairPoint& point : path.mpi_multi_pair) {
      table.add({{path.name, "ping-pong"}, point.pairs}, point.bytes, point.bandwidth_gbs);
    }
    for (const MultiPairPoint& point : path.mpi_multi_pair_pingping) {
      table.add({{path.name, "ping-ping"}, point.pairs}, point.bytes, point.bandwidth_gbs);
    }
  }
  table.print(
      out, "Several pairs at once: total GB/s",
      {text_column("path", truncate), text_column(""), number_column("pairs")},
      [](const TogetherRow& row) {
        return std::vector{row.curve.path, row.curve.kind, std::to_string(row.pairs)};
      },
      5);
}

/// One row per kernel, one column per number of threads.
void show_stream(std::string& out, const std::vector<StreamResult>& stream) {
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
  out += fmt::format("\nSTREAM in GB/s by number of threads ({})\n", spread.phrase());
  const std::vector<std::uint64_t> counts = some_of(thread_counts, 6);
  std::vector<Column> columns{text_column("kernel"), text_column("stores")};
  for (const std::uint64_t threads : counts)
    columns.push_back(number_column(std::to_string(threads)));
  Table table(std::move(columns), kIndented);
  for (const std::pair<std::string, bool>& row : kernels) {
    std::vector<std::string> cells{row.first, row.second ? "non-temporal" : "ordinary"};
    for (const std::uint64_t threads : counts) {
      const auto found = std::find_if(stream.begin(), stream.end(), [&](const StreamResult& r) {
        return r.kernel == row.first && r.non_temporal == row.second &&
               static_cast<std::uint64_t>(r.threads) == threads;
      });
      cells.push_back(found == stream.end() ? "-" : format_number(found->gbs.median));
    }
    table.add(std::move(cells));
  }
  out += table.text();
}

std::string fraction_of_limit(const Measured& measured, const JacobiResult& jacobi) {
  const std::optional<double> limit_mlups = jacobi_limit_mlups(measured, jacobi);
  return limit_mlups ? format_percent(jacobi.mlups.median / *limit_mlups) : "-";
}

void show_jacobi(std::string& out, const Measured& measured) {
  if (measured.jacobi.empty()) return;
  std::set<std::uint64_t> counts;
  for (const JacobiResult& r : measured.jacobi) counts.insert(static_cast<std::uint64_t>(r.cores));
  const std::vector<std::uint64_t> shown = some_of(counts, 8);
  out += "\nP(k): 6-point Jacobi on k cores; the limit is STREAM copy / 16 B\n";
  Table table({number_column("cores"), text_column("stores"), text_column("grid"),
               text_column("MLUP/s"), number_column("of limit")},
              kIndented);
  for (const JacobiResult& result : measured.jacobi) {
    if (!std::binary_search(shown.begin(), shown.end(), static_cast<std::uint64_t>(result.cores))) {
      continue;
    }
    table.add({std::to_string(result.cores), result.non_temporal ? "non-temporal" : "ordinary",
               format_extents(result.grid), statistic_text(result.mlups, 1, format_number),
               fraction_of_limit(measured, result)});
  }
  out += table.text();
}

void show_peak(std::string& out, const std::vector<PeakResult>& peak) {
  if (peak.empty()) return;
  out += "\nFloating-point peak: double-precision multiply-adds in registers\n";
  Table table({number_column("cores"), text_column("instructions"), text_column("GFLOP/s")},
              kIndented);
  for (const PeakResult& result : peak) {
    table.add({std::to_string(result.cores), result.isa,
               statistic_text(result.gflops, 1, format_number)});
  }
  out += table.text();
}

void show_hardware_threads(std::string& out, const Measured& measured) {
  if (measured.hardware_threads.empty()) return;
  out += "\nThreads per core: one, and one on each hardware thread\n";
  Table table({text_column("work"), number_column("cores"), number_column("threads"),
               text_column("one per core"), text_column("all"), text_column("")},
              kIndented);
  for (const HardwareThreads& result : measured.hardware_threads) {
    table.add({result.work, std::to_string(result.cores), std::to_string(result.threads),
               statistic_text(result.one_per_core, 1, format_number),
               statistic_text(result.all, 1, format_number),
               result.work == "memory" ? "GB/s" : "GFLOP/s"});
  }
  out += table.text();
  labelled(out, "", hardware_threads_sentence(measured) + ".", 2);
}

void show_openmp(std::string& out, const std::vector<OpenMpCost>& costs) {
  if (costs.empty()) return;
  out += "\nOpenMP: cost of constructs without work in them, in us\n";
  Table table({text_column("runtime"), number_column("threads"), text_column("start of threads"),
               text_column("parallel region"), text_column("barrier"), text_column("task")},
              kIndented);
  for (const OpenMpCost& cost : costs) {
    const auto cell = [](const Statistic& value) {
      return value.usable() ? statistic_text(value, 1, format_number) : "-";
    };
    table.add({cost.runtime, std::to_string(cost.threads), format_number(cost.start_us.median),
               cell(cost.region_us), cell(cost.barrier_us), cell(cost.task_us)});
  }
  out += table.text();
}

void show_init(std::string& out, const std::vector<InitPoint>& points) {
  if (points.empty()) return;
  out += "\nMPI_Init: time of the slowest rank\n";
  Table table({number_column("ranks"), text_column("ms")}, kIndented);
  for (const InitPoint& point : points) {
    table.add({std::to_string(point.ranks), statistic_text(point.time_us, 1e-3, format_number)});
  }
  out += table.text();
}

}  // namespace

std::string show_measured(const MachineFile& file) {
  if (!file.measured) return "\nMeasured    nothing\n";
  std::string text;
  show_context(text, *file.measured);
  const Measured measured = without_unusable(*file.measured);
  const std::vector<Path>& paths = measured.paths;
  const bool has_bound = std::any_of(paths.begin(), paths.end(), [](const Path& path) {
    return !path.mpi_pingpong.empty() || !path.bare_memcpy.empty() || path.bare_line_us;
  });
  if (has_bound) show_path_summary(text, paths);
  show_curves(text, paths);
  show_multi_pair(text, paths);
  text += show_messages(measured);
  show_stream(text, measured.stream);
  show_jacobi(text, measured);
  show_peak(text, measured.peak);
  show_hardware_threads(text, measured);
  show_openmp(text, measured.openmp);
  show_init(text, measured.mpi_init);
  return text;
}

}  // namespace plait::machine
