// SPDX-License-Identifier: BSD-3-Clause
// Decides which point runs next, when a point is measured well enough, and what the rest takes.
#include "sweep/schedule.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/statistics.hpp"
#include "run/supervise.hpp"
#include "sweep/forecast.hpp"

namespace plait::sweep {
namespace {

/// Compares points with the best one of the same work.
class Race {
public:
  explicit Race(const Sweep& sweep) : sweep_(sweep), forecasts_(sweep) {
    if (!sweep.smart) return;
    for (const SweepPoint& point : sweep.points) {
      if (point.runs.empty()) continue;
      const std::vector<double> costs = costs_of(point);
      const std::string work = workload_name(sweep.grid, point.point);
      const auto [best, first] = lowest_.try_emplace(work, median(costs));
      if (!first && median(costs) >= best->second) continue;
      best->second = median(costs);
      worst_of_best_[work] = *std::ranges::max_element(costs);
    }
  }

  /// @return no, worse, predicted_worse or no_better
  [[nodiscard]] Done judge(const SweepPoint& point) const {
    const auto best = worst_of_best_.find(workload_name(sweep_.grid, point.point));
    if (!sweep_.smart || best == worst_of_best_.end()) return Done::no;
    if (point.runs.empty()) {
      const std::optional<Forecast> forecast = forecasts_.of(point);
      if (forecast && forecast->least_cost > kMargin * best->second) return Done::predicted_worse;
      const std::optional<Bound> bound = forecasts_.bound_of(point);
      return bound && bound->value * kMargin > lowest_.at(best->first) ? Done::no_better : Done::no;
    }
    const std::vector<double> costs = costs_of(point);
    const double least = *std::ranges::min_element(costs);
    const double limit =
        costs.size() > 1 ? lowest_.at(best->first) : margin_of_one_run(point) * best->second;
    return least > limit ? Done::worse : Done::no;
  }

private:
  [[nodiscard]] double margin_of_one_run(const SweepPoint& point) const {
    if (forecasts_.bound_of(point)) return 1;
    constexpr double kUndisturbed = 1.25, kDisturbed = 1.5;
    return is_disturbed(sweep_, point.runs.front()) ? kDisturbed : kUndisturbed;
  }

  static constexpr double kMargin = 1.1;

  [[nodiscard]] std::vector<double> costs_of(const SweepPoint& point) const {
    std::vector<double> costs = values_of(point);
    for (double& cost : costs) cost = cost_of(sweep_, point, cost);
    return costs;
  }

  const Sweep& sweep_;
  Forecasts forecasts_;
  // By workload:
  std::map<std::string, double> lowest_;         ///< median costs
  std::map<std::string, double> worst_of_best_;  ///< costs
};

double left_s(const Sweep& sweep) {
  return *sweep.limits.budget_s - sweep.spent_s;
}

NextRun run_of(const Sweep& sweep, std::size_t index) {
  const SweepPoint& point = sweep.points[index];
  NextRun next{index, static_cast<int>(point.runs.size()) + 1, sweep.limits.time_limit_s, false};
  const std::optional<double> expected = expected_s(sweep, point);
  if (!next.limit_s && expected) next.limit_s = run::default_limit_s(*expected);
  if (!sweep.limits.budget_s) return next;
  if (!next.limit_s || left_s(sweep) < *next.limit_s) {
    next.limit_s = left_s(sweep);
    next.limited_by_budget = true;
  }
  return next;
}

bool fits_budget(const Sweep& sweep, const SweepPoint& point) {
  if (!sweep.limits.budget_s) return true;
  if (left_s(sweep) <= 0) return false;
  const std::optional<double> expected = expected_s(sweep, point);
  return !expected || *expected <= left_s(sweep);
}

}  // namespace

std::vector<Done> done_points(const Sweep& sweep) {
  const Race race(sweep);
  std::vector<Done> done;
  for (const SweepPoint& point : sweep.points) {
    if (point.is_over()) {
      done.push_back(Done::over);
    } else if (!point.runs.empty() && (static_cast<int>(point.runs.size()) >= sweep.limits.repeat ||
                                       converged(values_of(point), sweep.limits.precision))) {
      done.push_back(Done::enough);
    } else {
      done.push_back(race.judge(point));
    }
  }
  return done;
}

std::optional<NextRun> next_run(const Sweep& sweep) {
  const std::vector<Done> done = done_points(sweep);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (done[i] == Done::no && fits_budget(sweep, sweep.points[i])) open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  std::size_t round = sweep.points[open.front()].runs.size();
  for (const std::size_t i : open) round = std::min(round, sweep.points[i].runs.size());
  std::erase_if(open, [&](std::size_t i) { return sweep.points[i].runs.size() != round; });
  if (sweep.smart && round == 0) {
    const Forecasts forecasts(sweep);
    const auto shares = [&](std::size_t i) { return forecasts.shares_cpus(sweep.points[i]); };
    if (!std::ranges::all_of(open, shares)) std::erase_if(open, shares);
    return run_of(sweep, *std::ranges::max_element(open, {}, [&](std::size_t i) {
                    return distance_from_runs(sweep, sweep.points[i]);
                  }));
  }
  return run_of(sweep, round % 2 == 0 ? open.front() : open.back());
}

std::optional<double> expected_s(const Sweep& sweep, const SweepPoint& point) {
  if (!point.runs.empty()) return median(walls_of(point));
  std::optional<double> longest;
  for (const SweepPoint& other : sweep.points) {
    if (other.runs.empty()) continue;
    const double ratio = static_cast<double>(other.point.cores()) / point.point.cores();
    longest = std::max(longest.value_or(0), median(walls_of(other)) * std::max(1.0, ratio));
  }
  return longest;
}

Rest rest_of(const Sweep& sweep) {
  Rest rest;
  const std::vector<Done> done = done_points(sweep);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    if (done[i] != Done::no) continue;
    const int runs = static_cast<int>(point.runs.size());
    const int most = sweep.limits.repeat - runs;
    // A smart sweep may stop after any run.
    const int fewest = sweep.smart ? 1 : std::clamp(kFewestForInterval - runs, 1, most);
    ++rest.points;
    if (runs == 0) ++rest.unmeasured;
    rest.fewest += fewest;
    rest.most += most;
    const std::optional<double> each = expected_s(sweep, point);
    if (!each) continue;
    rest.fewest_s = rest.fewest_s.value_or(0) + fewest * *each;
    rest.most_s = rest.most_s.value_or(0) + most * *each;
  }
  return rest;
}

}  // namespace plait::sweep
