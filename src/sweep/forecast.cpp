// SPDX-License-Identifier: BSD-3-Clause
// Predicts points of a sweep that have not run from points that have.
#include "sweep/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>

#include "base/statistics.hpp"

namespace plait::sweep {
namespace {

constexpr double kLeastSpread = 0.15;
constexpr std::size_t kFewestPoints = 3;

/// The lines on which a point is: along the ranks, the threads, or those of a part.
std::vector<std::string> lines_of(const Grid& grid, const Point& point) {
  const auto values = core_values(grid, point);
  std::vector<std::string> lines;
  for (const auto& along : values) {
    lines.push_back(series_name(grid, point) + " along " + along.first);
    for (const auto& [name, value] : values) {
      if (name != along.first) lines.back() += fmt::format(" {} {}", name, value);
    }
  }
  return lines;
}

}  // namespace

Forecasts::Forecasts(const Sweep& sweep) : sweep_(sweep) {
  if (is_weak(sweep.grid)) return;
  for (const SweepPoint& point : sweep.points) {
    for (const PointRun& run : point.runs) cpus_ = std::max(cpus_, run.cpus);
  }
  for (const SweepPoint& point : sweep.points) {
    if (point.runs.empty()) continue;
    const double cost = cost_of(sweep, point, median(values_of(point)));
    const double cores = point.point.cores();
    for (const std::string& line : lines_of(sweep.grid, point.point)) {
      lines_[line].samples.push_back({cores, cost, 0});
      add_base(point, cost, lines_[line]);
    }
  }
  for (auto& [name, line] : lines_) {
    if (line.samples.size() < kFewestPoints) continue;
    line.fit = model::fit_law(model::ScalingLaw::universal, line.samples);
  }
}

std::optional<Forecast> Forecasts::of(const SweepPoint& point) const {
  if (is_weak(sweep_.grid)) return std::nullopt;
  const double cores = point.point.cores();
  std::optional<Forecast> best;
  for (const std::string& name : lines_of(sweep_.grid, point.point)) {
    const auto found = lines_.find(name);
    if (found == lines_.end() || !found->second.fit) continue;
    const auto [fewest, most] =
        std::ranges::minmax(found->second.samples, {}, &model::ScalingSample::p);
    if (cores <= fewest.p || cores >= most.p) continue;
    const model::ScalingFit& fit = *found->second.fit;
    const double spread = std::max(kLeastSpread, 2 * fit.largest_deviation);
    const double cost = fit.at(cores);
    const double least = cost * std::max(0.0, 1 - spread);
    if (best && best->least_cost <= least) continue;
    const auto value = [&](double of) { return sweep_.figure.larger_is_better ? 1 / of : of; };
    const double one = value(least);
    const double other = value(cost * (1 + spread));
    best = Forecast{value(cost), std::min(one, other), std::max(one, other), least};
  }
  return best;
}

void Forecasts::add_base(const SweepPoint& point, double cost, Line& line) const {
  const double cores = point.point.cores();
  if (cores > cpus_ || cores < line.base_cores) return;
  const Factors& factors = point.runs.front().factors;
  line.base_cores = cores;
  line.useful_cost = factors.parallel.value_or(0) * factors.threads.value_or(1) * cost;
}

bool Forecasts::shares_cpus(const SweepPoint& point) const {
  if (cpus_ == 0 || point.point.cores() <= cpus_) return false;
  // Launchers may give more CPUs to more ranks or threads.
  const auto own = core_values(sweep_.grid, point.point);
  return std::ranges::any_of(sweep_.points, [&](const SweepPoint& other) {
    return !other.runs.empty() &&
           std::ranges::equal(core_values(sweep_.grid, other.point), own,
                              [](const auto& a, const auto& b) { return a.second >= b.second; });
  });
}

std::optional<Bound> Forecasts::bound_of(const SweepPoint& point) const {
  if (sweep_.figure.kind != FigureKind::wall || !shares_cpus(point)) return std::nullopt;
  std::optional<Bound> best;
  for (const std::string& name : lines_of(sweep_.grid, point.point)) {
    const auto found = lines_.find(name);
    if (found == lines_.end() || found->second.useful_cost == 0) continue;
    const double least = found->second.useful_cost * found->second.base_cores / cpus_;
    if (!best || least < best->value) best = Bound{least, cpus_};
  }
  return best;
}

bool can_forecast(const Sweep& sweep) {
  if (is_weak(sweep.grid)) return false;
  std::map<std::string, std::set<int>> cores;
  for (const SweepPoint& point : sweep.points) {
    if (point.is_over()) continue;
    for (const std::string& line : lines_of(sweep.grid, point.point)) {
      cores[line].insert(point.point.cores());
    }
  }
  return std::any_of(cores.begin(), cores.end(),
                     [](const auto& line) { return line.second.size() > kFewestPoints; });
}

double distance_from_runs(const Sweep& sweep, const SweepPoint& point) {
  const std::string series = series_name(sweep.grid, point.point);
  const auto own = core_values(sweep.grid, point.point);
  double nearest = std::numeric_limits<double>::infinity();
  for (const SweepPoint& other : sweep.points) {
    if (other.runs.empty() || series_name(sweep.grid, other.point) != series) continue;
    const auto values = core_values(sweep.grid, other.point);
    double doublings = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      doublings += std::abs(std::log2(values[i].second / own[i].second));
    }
    nearest = std::min(nearest, doublings);
  }
  return nearest;
}

}  // namespace plait::sweep
