// SPDX-License-Identifier: BSD-3-Clause
// All measured figures of a machine as one list, with names: for checks, merging and comparison.
#include "machine/figures.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::machine {
namespace {

template <class Value, class Of>
class Collector {
public:
  explicit Collector(Of& measured) : measured_(measured) {}

  std::vector<BasicFigure<Value>> collect() {
    speeds();
    for (path_ = 0; path_ < measured_.paths.size(); ++path_) path(measured_.paths[path_]);
    path_ = 0;
    for (auto& point : measured_.all_to_all) {
      add(FigureKind::all_to_all,
          fmt::format("all-to-all, {}, {} per node, {}", counted(point.nodes, "node"),
                      counted(point.ranks_per_node, "rank"), point.placement),
          point.nodes * point.ranks_per_node, point.bytes, point.bandwidth_gbs);
    }
    for (auto& point : measured_.collectives) {
      add(FigureKind::collective,
          fmt::format("{}, {} on {}", point.operation, counted(point.ranks, "rank"),
                      counted(point.nodes, "node")),
          point.ranks, point.bytes, point.time_us);
    }
    for (auto& point : measured_.mpi_init) {
      put(FigureKind::mpi_init, "MPI_Init",
          fmt::format("MPI_Init, {}", counted(point.ranks, "rank")), point.ranks, 0, point.time_us);
    }
    return std::move(figures_);
  }

private:
  static const char* stores(bool non_temporal) {
    return non_temporal ? "non-temporal stores" : "ordinary stores";
  }

  void speeds() {
    for (auto& result : measured_.stream) {
      const std::string series =
          fmt::format("STREAM {}, {}", result.kernel, stores(result.non_temporal));
      put(FigureKind::stream, series,
          fmt::format("{}, {}", series, counted(result.threads, "thread")), result.threads, 0,
          result.gbs);
    }
    for (auto& result : measured_.jacobi) {
      put(FigureKind::jacobi, fmt::format("P(k), {}", stores(result.non_temporal)),
          fmt::format("P({}), {}", result.cores, stores(result.non_temporal)), result.cores, 0,
          result.mlups);
    }
    for (auto& result : measured_.peak) {
      const std::string series = "floating-point peak, " + result.isa;
      put(FigureKind::peak, series, fmt::format("{}, {}", series, counted(result.cores, "core")),
          result.cores, 0, result.gflops);
    }
    for (auto& result : measured_.hardware_threads) {
      const bool memory = result.work == "memory";
      const std::string series = memory ? "STREAM triad" : "multiply-adds";
      const auto add_team = [&](int threads, Value& value) {
        put(memory ? FigureKind::hardware_threads : FigureKind::hardware_threads_peak, series,
            fmt::format("{}, {} on {}", series, counted(threads, "hardware thread"),
                        counted(result.cores, "core")),
            threads, 0, value);
      };
      add_team(result.cores, result.one_per_core);
      add_team(result.threads, result.all);
    }
    for (auto& cost : measured_.openmp) {
      const auto add_cost = [&](const char* construct, Value& value) {
        const std::string series = cost.runtime + ": " + construct;
        put(FigureKind::openmp, series,
            fmt::format("{}, {}", series, counted(cost.threads, "thread")), cost.threads, 0, value);
      };
      add_cost("start of threads", cost.start_us);
      add_cost("parallel region", cost.region_us);
      add_cost("barrier", cost.barrier_us);
      add_cost("task", cost.task_us);
    }
  }

  void path(std::conditional_t<std::is_const_v<Of>, const Path, Path>& of) {
    const auto named = [&](const char* what) { return of.name + ": " + what; };
    if (of.bare_line_us) {
      put(FigureKind::bare_line, named("cache line"), named("cache line"), 1, 0, *of.bare_line_us);
    }
    for (auto& point : of.bare_memcpy) {
      add(FigureKind::bare_memcpy, named("memory copy"), 1, point.bytes, point.one_way_us);
    }
    for (auto& point : of.bare_pingping) {
      add(FigureKind::bare_pingping, named("memory copies both ways"), 1, point.bytes,
          point.time_us);
    }
    pairs(FigureKind::bare_multi_pair, named("memory copies"), of.bare_multi_pair);
    for (auto& point : of.mpi_pingpong) {
      add(FigureKind::pingpong, named("ping-pong"), 1, point.bytes, point.half_round_trip_us);
    }
    for (auto& point : of.mpi_pingpong_off_cache) {
      add(FigureKind::off_cache, named("ping-pong off cache"), 1, point.bytes,
          point.half_round_trip_us);
    }
    for (auto& point : of.mpi_pingping) {
      add(FigureKind::pingping, named("ping-ping"), 1, point.bytes, point.time_us);
    }
    pairs(FigureKind::multi_pair, named("ping-pong"), of.mpi_multi_pair);
    pairs(FigureKind::multi_pair_pingping, named("ping-ping"), of.mpi_multi_pair_pingping);
    for (auto& point : of.mpi_overheads) {
      add(FigureKind::send_overhead, named("sender's CPU time"), 1, point.bytes, point.send_us);
    }
    for (auto& point : of.mpi_overheads) {
      add(FigureKind::receive_overhead, named("receiver's CPU time"), 1, point.bytes,
          point.receive_us);
    }
    for (auto& point : of.mpi_back_to_back) {
      add(FigureKind::back_to_back, named("messages in a row"), 1, point.bytes, point.time_us);
    }
  }

  template <class Points>
  void pairs(FigureKind kind, const std::string& what, Points& points) {
    for (auto& point : points) {
      const std::string series = what + " of several pairs, " + format_bytes(point.bytes);
      put(kind, series,
          fmt::format("{} of {}, {}", what, counted(point.pairs, "pair"),
                      format_bytes(point.bytes)),
          point.pairs, point.bytes, point.bandwidth_gbs);
    }
  }

  void add(FigureKind kind, const std::string& series, int count, std::uint64_t bytes,
           Value& value) {
    put(kind, series, series + " of " + format_bytes(bytes), count, bytes, value);
  }

  void put(FigureKind kind, const std::string& series, std::string name, int count,
           std::uint64_t bytes, Value& value) {
    figures_.push_back({kind, series, std::move(name), count, bytes, &value, path_});
  }

  Of& measured_;
  std::size_t path_ = 0;
  std::vector<BasicFigure<Value>> figures_;
};

template <class Point>
void update(std::vector<Point>& points, Statistic Point::*time_us) {
  for (Point& point : points) {
    point.bandwidth_gbs = bandwidth_gbs(static_cast<double>(point.bytes), (point.*time_us).median);
  }
}

}  // namespace

template <class Value>
bool BasicFigure<Value>::is_rate() const {
  switch (kind) {
    case FigureKind::stream:
    case FigureKind::jacobi:
    case FigureKind::peak:
    case FigureKind::hardware_threads:
    case FigureKind::hardware_threads_peak:
    case FigureKind::bare_multi_pair:
    case FigureKind::multi_pair:
    case FigureKind::multi_pair_pingping:
    case FigureKind::all_to_all:
      return true;
    default:
      return false;
  }
}

template <class Value>
const char* BasicFigure<Value>::unit() const {
  if (!is_rate()) return "us";
  if (kind == FigureKind::peak || kind == FigureKind::hardware_threads_peak) return "GFLOP/s";
  return kind == FigureKind::jacobi ? "MLUP/s" : "GB/s";
}

bool is_of_mpi(FigureKind kind) {
  switch (kind) {
    case FigureKind::stream:
    case FigureKind::jacobi:
    case FigureKind::peak:
    case FigureKind::hardware_threads:
    case FigureKind::hardware_threads_peak:
    case FigureKind::openmp:
    case FigureKind::bare_line:
    case FigureKind::bare_memcpy:
    case FigureKind::bare_pingping:
    case FigureKind::bare_multi_pair:
      return false;
    default:
      return true;
  }
}

bool is_between_nodes(const Measured& measured, FigureKind kind, std::size_t path) {
  if (kind == FigureKind::all_to_all || kind == FigureKind::collective) return true;
  if (kind == FigureKind::mpi_init) return false;
  return is_of_mpi(kind) && measured.paths[path].id == "network";
}

template struct BasicFigure<const Statistic>;
template struct BasicFigure<Statistic>;

std::vector<Figure> figures_of(const Measured& measured) {
  return Collector<const Statistic, const Measured>(measured).collect();
}

std::vector<MutableFigure> figures_of(Measured& measured) {
  return Collector<Statistic, Measured>(measured).collect();
}

void update_bandwidths(Measured& measured) {
  for (Path& path : measured.paths) {
    update(path.bare_memcpy, &MemcpyPoint::one_way_us);
    update(path.bare_pingping, &PingPingPoint::time_us);
    update(path.mpi_pingpong, &CurvePoint::half_round_trip_us);
    update(path.mpi_pingpong_off_cache, &CurvePoint::half_round_trip_us);
    update(path.mpi_pingping, &PingPingPoint::time_us);
  }
}

}  // namespace plait::machine
