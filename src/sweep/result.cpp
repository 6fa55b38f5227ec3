// SPDX-License-Identifier: BSD-3-Clause
// The result of a sweep: speed-up, efficiency and cost of each point, the fitted laws, and the
// point to use.
#include "sweep/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/paired_ratio.hpp"
#include "text/units.hpp"

namespace plait::sweep {
namespace {

/// Seconds of a 95 % interval on either side of the median, in standard errors.
constexpr double kStandardErrors = 1.96;

/// Median over the runs that have a factor.
template <class Get>
std::optional<double> median_of(const SweepPoint& point, Get get) {
  std::vector<double> values;
  for (const PointRun& run : point.runs) {
    if (const std::optional<double> value = get(run)) values.push_back(*value);
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

Factors factors_of(const SweepPoint& point) {
  const auto of = [&](std::optional<double> Factors::*which) {
    return median_of(point, [which](const PointRun& run) { return run.factors.*which; });
  };
  return {of(&Factors::parallel), of(&Factors::load_balance), of(&Factors::communication),
          of(&Factors::threads), of(&Factors::cpu)};
}

/// The lowest factor, if it loses at least a hundredth.
std::string lowest_of(const Factors& factors) {
  constexpr double kNothing = 0.99;
  const std::array<std::pair<const char*, std::optional<double>>, 4> all{
      {{"load balance", factors.load_balance},
       {"communication", factors.communication},
       {"threads", factors.threads},
       {"CPU", factors.cpu}}};
  const auto lowest = std::ranges::min_element(
      all, {}, [](const auto& factor) { return factor.second.value_or(1); });
  if (lowest->second.value_or(1) >= kNothing) return "";
  return fmt::format("{} {}", lowest->first, format_percent(*lowest->second));
}

/// Names in order of appearance; finds the index of one.
class Names {
public:
  std::size_t index(const std::string& name) {
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    names_.push_back(name);
    return names_.size() - 1;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

private:
  std::vector<std::string> names_;
};

/// Cost of each run of two points, round by round.
std::vector<std::array<double, 2>> rounds_of(const Sweep& sweep, std::size_t a, std::size_t b) {
  const std::vector<double> of_a = values_of(sweep.points[a]);
  const std::vector<double> of_b = values_of(sweep.points[b]);
  std::vector<std::array<double, 2>> rounds;
  for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i) {
    rounds.push_back(
        {cost_of(sweep, sweep.points[a], of_a[i]), cost_of(sweep, sweep.points[b], of_b[i])});
  }
  return rounds;
}

class Results {
public:
  explicit Results(const Sweep& sweep) : sweep_(sweep), weak_(is_weak(sweep.grid)) {
    result_.points.resize(sweep.points.size());
  }

  SweepResult compute() {
    Names series;
    Names workloads;
    for (std::size_t i = 0; i < sweep_.points.size(); ++i) {
      if (!sweep_.points[i].runs.empty()) add_point(i, series, workloads);
    }
    for (const std::string& name : series.all()) add_series(name);
    for (const std::string& name : workloads.all()) add_workload(name);
    return std::move(result_);
  }

private:
  void add_point(std::size_t index, Names& series, Names& workloads) {
    const SweepPoint& point = sweep_.points[index];
    PointResult result;
    result.value = median_interval(values_of(point));
    result.wall_s = median(walls_of(point));
    result.factors = factors_of(point);
    result.loses = lowest_of(result.factors);
    result.core_hours = result.wall_s * point.point.cores() / 3600;
    result.node_bytes = median_of(point, [](const PointRun& run) { return run.node_bytes; });
    result.series = series.index(series_name(sweep_.grid, point.point));
    result.workload = workloads.index(workload_name(sweep_.grid, point.point));
    result_.points[index] = result;
  }

  [[nodiscard]] double median_cost(std::size_t index) const {
    return cost_of(sweep_, sweep_.points[index], result_.points[index]->value.median);
  }

  [[nodiscard]] int cores(std::size_t index) const { return sweep_.points[index].point.cores(); }

  [[nodiscard]] std::vector<std::size_t> members(std::size_t PointResult::*group,
                                                 std::size_t number) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < result_.points.size(); ++i) {
      if (result_.points[i] && (*result_.points[i]).*group == number) found.push_back(i);
    }
    return found;
  }

  void add_series(const std::string& name) {
    Series series{name, members(&PointResult::series, result_.series.size()), {}};
    std::ranges::stable_sort(series.points, {}, [&](std::size_t i) { return cores(i); });
    if (cores(series.points.front()) != cores(series.points.back())) scale(series);
    result_.series.push_back(std::move(series));
  }

  /// Of the points with the fewest cores the best.
  [[nodiscard]] std::size_t base_of(const std::vector<std::size_t>& by_cores) const {
    std::size_t base = by_cores.front();
    for (const std::size_t i : by_cores) {
      if (cores(i) == cores(base) && median_cost(i) < median_cost(base)) base = i;
    }
    return base;
  }

  void scale(Series& series) {
    const std::size_t base = base_of(series.points);
    std::map<int, std::size_t> best;  // by cores
    for (const std::size_t i : series.points) {
      PointResult& point = *result_.points[i];
      const double more = static_cast<double>(cores(i)) / cores(base);
      point.speedup = median_cost(base) / median_cost(i);
      point.efficiency = *point.speedup / more;
      if (more > 1) point.karp_flatt = model::karp_flatt(*point.speedup, more);
      const auto found = best.try_emplace(cores(i), i).first;
      if (median_cost(i) < median_cost(found->second)) found->second = i;
    }
    std::vector<model::ScalingSample> samples;
    for (const auto& [p, i] : best) samples.push_back(sample_of(i, p));
    const std::vector<model::ScalingLaw> laws =
        weak_ ? std::vector{model::ScalingLaw::gustafson}
              : std::vector{model::ScalingLaw::amdahl, model::ScalingLaw::universal};
    for (const model::ScalingLaw law : laws) {
      if (const auto fit = model::fit_law(law, samples)) series.fits.push_back(*fit);
    }
  }

  /// The time of the work on p cores: of equal work, or where it grows of p units.
  [[nodiscard]] model::ScalingSample sample_of(std::size_t index, int p) const {
    const MedianInterval& value = result_.points[index]->value;
    const double unit = weak_ ? p : 1;
    const double seconds = median_cost(index) * unit;
    const double half = (value.high - value.low) / 2 / value.median * seconds;
    return {static_cast<double>(p), seconds, value.covers ? half / kStandardErrors : half};
  }

  void add_workload(const std::string& name) {
    const std::vector<std::size_t> points =
        members(&PointResult::workload, result_.workloads.size());
    Workload workload;
    workload.name = name;
    workload.best =
        *std::ranges::min_element(points, {}, [&](std::size_t i) { return median_cost(i); });
    for (const std::size_t i : points) {
      if (i == workload.best || !is_clearly_worse(i, workload.best)) {
        workload.like_best.push_back(i);
      }
    }
    workload.recommended = *std::ranges::min_element(
        workload.like_best, {}, [&](std::size_t i) { return std::pair(cores(i), median_cost(i)); });
    std::vector<std::size_t> by_cores = points;
    std::ranges::stable_sort(by_cores, {}, [&](std::size_t i) { return cores(i); });
    const std::size_t base = base_of(by_cores);
    if (base != workload.best) workload.gain = median_cost(base) / median_cost(workload.best);
    result_.workloads.push_back(std::move(workload));
  }

  /// In rounds, in which both ran under the same conditions; with too few of them, if all runs are
  /// worse than all of the best.
  [[nodiscard]] bool is_clearly_worse(std::size_t index, std::size_t best) const {
    const std::vector<std::array<double, 2>> rounds = rounds_of(sweep_, best, index);
    if (static_cast<int>(rounds.size()) >= kFewestForInterval) {
      return compare_pairs(rounds, kConfidence) == Comparison::slower;
    }
    const auto worst_of_best =
        std::ranges::max_element(rounds, {}, [](const auto& round) { return round[0]; });
    const auto best_of_it =
        std::ranges::min_element(rounds, {}, [](const auto& round) { return round[1]; });
    return (*best_of_it)[1] > (*worst_of_best)[0];
  }

  const Sweep& sweep_;
  bool weak_;
  SweepResult result_;
};

}  // namespace

SweepResult result_of(const Sweep& sweep) {
  return Results(sweep).compute();
}

}  // namespace plait::sweep
