// SPDX-License-Identifier: BSD-3-Clause
// Reads the inputs of the model from a machine file: P(k), and the cost of messages on a path.
#include "model/jacobi_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/statistics.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

using machine::CurvePoint;
using machine::MultiPairPoint;
using machine::Path;
using machine::PingPingPoint;
using machine::Statistic;

constexpr const char* kNetwork = "network";

/// Of the median, on either side, for each sample that an interval needs and that is missing.
constexpr double kMissingSample = 0.05;

/// The median with its interval. Fewer than six samples have no 95 % interval, so theirs is at
/// least kMissingSample wide for each missing one; figures from papers have no samples.
Interval interval_of(const Statistic& value, double unit) {
  const int missing =
      value.samples.empty() ? 0 : std::max(0, kFewestForInterval - std::max(1, value.n));
  const double least = kMissingSample * missing * value.median;
  const double low = value.ci_low > 0 ? std::min(value.ci_low, value.median) : value.median;
  return {value.median * unit, std::min(low, value.median - least) * unit,
          std::max(value.ci_high, value.median + least) * unit};
}

/// A bandwidth, with the relative interval of the time from which it was computed.
Interval bandwidth_of(double gbs, const Statistic& time_us) {
  const Interval time = interval_of(time_us, 1);
  if (time.value <= 0) return {gbs * 1e9, gbs * 1e9, gbs * 1e9};
  const double low = time.low > 0 ? time.low : time.value;
  return {gbs * 1e9, gbs * 1e9 * time.value / time.high, gbs * 1e9 * time.value / low};
}

/// The distance between a measured number and the wanted one, as the log of their ratio.
double distance(std::uint64_t measured, std::uint64_t wanted) {
  const auto at_least_one = [](std::uint64_t number) {
    return std::log(static_cast<double>(std::max<std::uint64_t>(number, 1)));
  };
  return std::abs(at_least_one(measured) - at_least_one(wanted));
}
double distance(int measured, int wanted) {
  return distance(static_cast<std::uint64_t>(measured), static_cast<std::uint64_t>(wanted));
}

template <class Point>
std::optional<Interval> latency(const std::vector<Point>& points, Statistic Point::*time_us) {
  const Point* smallest = nullptr;
  for (const Point& point : points) {
    if (!(point.*time_us).usable()) continue;
    if (smallest == nullptr || point.bytes < smallest->bytes) smallest = &point;
  }
  if (smallest == nullptr) return std::nullopt;
  return interval_of(smallest->*time_us, 1e-6);
}

template <class Point>
std::optional<Interval> pair_bandwidth(const std::vector<Point>& points, Statistic Point::*time_us,
                                       std::uint64_t message_bytes) {
  const Point* nearest = nullptr;
  for (const Point& point : points) {
    if (point.bandwidth_gbs <= 0 || !(point.*time_us).usable()) continue;
    if (nearest == nullptr ||
        distance(point.bytes, message_bytes) < distance(nearest->bytes, message_bytes)) {
      nearest = &point;
    }
  }
  if (nearest == nullptr) return std::nullopt;
  return bandwidth_of(nearest->bandwidth_gbs, nearest->*time_us);
}

std::optional<Interval> several_bandwidth(const Path& path, std::uint64_t message_bytes) {
  const MultiPairPoint* best = nullptr;
  const bool both_ways = !path.mpi_multi_pair_pingping.empty();
  for (const MultiPairPoint& point :
       both_ways ? path.mpi_multi_pair_pingping : path.mpi_multi_pair) {
    if (point.bandwidth_gbs.median <= 0 || !point.bandwidth_gbs.usable()) continue;
    const double further = best == nullptr ? -1
                                           : distance(point.bytes, message_bytes) -
                                                 distance(best->bytes, message_bytes);
    if (further < 0 || (further == 0 && point.pairs > best->pairs)) best = &point;
  }
  if (best == nullptr) return std::nullopt;
  return interval_of(best->bandwidth_gbs, 1e9);
}

/// The bandwidth of messages of a size between two measured ones, whose time is interpolated.
Interval between(double smaller, const Interval& of_smaller, double larger,
                 const Interval& of_larger, double bytes) {
  const auto bandwidth = [&](double Interval::*end) {
    const double from = smaller / (of_smaller.*end), to = larger / (of_larger.*end);
    return bytes / (from + (to - from) * (bytes - smaller) / (larger - smaller));
  };
  return {bandwidth(&Interval::value), bandwidth(&Interval::low), bandwidth(&Interval::high)};
}

}  // namespace

bool knows_jacobi_speed(const machine::Measured& measured) {
  return std::ranges::any_of(
      measured.jacobi, [](const machine::JacobiResult& result) { return result.mlups.usable(); });
}

SpeedTable jacobi_speed(const machine::Measured& measured, const std::string& machine) {
  std::map<int, Statistic> fastest;
  for (const machine::JacobiResult& result : measured.jacobi) {
    if (!result.mlups.usable()) continue;
    const auto [known, first] = fastest.try_emplace(result.cores, result.mlups);
    if (!first && result.mlups.median > known->second.median) known->second = result.mlups;
  }
  if (fastest.empty()) {
    throw Error(machine,
                measured.jacobi.empty()
                    ? "the speed of the Jacobi kernel was not measured on this machine"
                    : "no measured speed of the Jacobi kernel on this machine is usable",
                "run plait measure there, or give --speed");
  }
  std::vector<SpeedPoint> points;
  for (const auto& [cores, mlups] : fastest) {
    const Interval speed = interval_of(mlups, 1e6);
    points.push_back({cores, speed.value, speed.low, speed.high});
  }
  return SpeedTable::with_intervals(std::move(points));
}

std::optional<Link> link_of(const Path& path, std::uint64_t message_bytes) {
  std::optional<Interval> latency_s = latency(path.mpi_pingping, &PingPingPoint::time_us);
  if (!latency_s) latency_s = latency(path.mpi_pingpong, &CurvePoint::half_round_trip_us);
  std::optional<Interval> pair =
      pair_bandwidth(path.mpi_pingping, &PingPingPoint::time_us, message_bytes);
  if (!pair) {
    pair = pair_bandwidth(path.mpi_pingpong, &CurvePoint::half_round_trip_us, message_bytes);
  }
  if (!latency_s || !pair) return std::nullopt;
  return Link{*latency_s, *pair, several_bandwidth(path, message_bytes).value_or(*pair)};
}

std::optional<Link> network_link(const machine::Measured& measured, std::uint64_t message_bytes) {
  for (const Path& path : measured.paths) {
    if (path.id == kNetwork) return link_of(path, message_bytes);
  }
  return std::nullopt;
}

std::optional<Link> inside_link(const machine::Measured& measured, std::uint64_t message_bytes) {
  std::optional<Link> slowest;
  for (const Path& path : measured.paths) {
    // The model never runs two ranks on one core, because P(k) is per core.
    if (path.id == kNetwork || path.id == "smt") continue;
    const std::optional<Link> link = link_of(path, message_bytes);
    if (!link) continue;
    if (!slowest || link->pair_bytes_per_s.value < slowest->pair_bytes_per_s.value) slowest = link;
  }
  return slowest;
}

std::optional<Link> inside_link(const machine::Measured& measured, const JacobiCase& of, int cores,
                                int bytes_per_cell) {
  const NodeExchange exchange = node_exchange(of.parts, of.cells, parts_for_ranks(cores, of.cells));
  const std::int64_t cells = exchange.inner_cells / std::max(1, exchange.inner_messages);
  return inside_link(measured, static_cast<std::uint64_t>(cells * bytes_per_cell));
}

std::optional<Interval> all_to_all_bandwidth(const machine::Measured& measured, int nodes,
                                             int per_node, std::uint64_t message_bytes) {
  const auto from_wanted = [&](const machine::AllToAllPoint& point) {
    return std::pair(distance(point.nodes, nodes), distance(point.ranks_per_node, per_node));
  };
  std::vector<const machine::AllToAllPoint*> points;
  for (const machine::AllToAllPoint& point : measured.all_to_all) {
    if (point.nodes < 2 || !(point.bandwidth_gbs.median > 0) || !point.bandwidth_gbs.usable()) {
      continue;
    }
    if (!points.empty() && from_wanted(point) > from_wanted(*points.front())) continue;
    if (!points.empty() && from_wanted(point) < from_wanted(*points.front())) points.clear();
    if (points.empty() || point.placement == points.front()->placement) points.push_back(&point);
  }
  if (points.empty()) return std::nullopt;
  std::ranges::sort(points, {}, &machine::AllToAllPoint::bytes);
  const machine::AllToAllPoint& any = *points.front();
  const double ranks = 1.0 * any.nodes * any.ranks_per_node;
  const double leaving = (ranks - any.ranks_per_node) / (ranks - 1);
  const auto at = [&](const machine::AllToAllPoint& point) {
    return interval_of(point.bandwidth_gbs, 1e9 * any.ranks_per_node * leaving);
  };
  const auto larger =
      std::ranges::lower_bound(points, message_bytes, {}, &machine::AllToAllPoint::bytes);
  if (larger == points.begin()) return at(any);
  if (larger == points.end()) return at(*points.back());
  return between(static_cast<double>((*(larger - 1))->bytes), at(**(larger - 1)),
                 static_cast<double>((*larger)->bytes), at(**larger),
                 static_cast<double>(message_bytes));
}

}  // namespace plait::model
