// SPDX-License-Identifier: BSD-3-Clause
// The counters of a run by the phases of its trace.
#include "report/phase_counters.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "report/counted_place.hpp"
#include "report/derived_figures.hpp"
#include "report/optional_json.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using trace::CounterSums;
using trace::CounterValue;

/// What the counters of a thread had counted at any time.
class Curve {
public:
  explicit Curve(const trace::RankRecord& record) : record_(&record) {}

  /// Adds a reading unless it is not later than the one before.
  void add(double at_s, const trace::CounterReading& reading) {
    if (points_.empty() || at_s > points_.back().first) points_.emplace_back(at_s, &reading);
  }

  /// What was counted in a time.
  [[nodiscard]] CounterSums between(double begin_s, double end_s) const {
    CounterSums sums = until(end_s);
    const CounterSums before = until(begin_s);
    sums.outside_s = std::max(0.0, sums.outside_s - before.outside_s);
    sums.inside_s = std::max(0.0, sums.inside_s - before.inside_s);
    for (std::size_t i = 0; i < sums.outside.size(); ++i) {
      subtract(sums.outside[i], before.outside[i]);
      subtract(sums.inside[i], before.inside[i]);
    }
    return sums;
  }

  [[nodiscard]] bool calls_mpi() const {
    return !points_.empty() && points_.back().second->inside_s > 0;
  }

private:
  using Point = std::pair<double, const trace::CounterReading*>;

  static void subtract(CounterValue& from, const CounterValue& what) {
    from.value = std::max(0.0, from.value - what.value);
    from.enabled_s = std::max(0.0, from.enabled_s - what.enabled_s);
    from.running_s = std::max(0.0, from.running_s - what.running_s);
  }

  [[nodiscard]] CounterSums until(double at_s) const {
    const auto next = std::ranges::upper_bound(points_, at_s, {}, &Point::first);
    if (next == points_.begin()) return at(next->second, next->second, 0);
    const auto last = std::prev(next);
    if (next == points_.end()) return at(last->second, last->second, 0);
    return at(last->second, next->second, (at_s - last->first) / (next->first - last->first));
  }

  /// At a part of the time from one reading to the next.
  [[nodiscard]] CounterSums at(const trace::CounterReading* from, const trace::CounterReading* to,
                               double part) const {
    const auto mix = [&](double a, double b) { return a + part * (b - a); };
    const auto values = [&](std::size_t first) {
      const std::vector<CounterValue>& all = record_->counter_totals;
      std::vector<CounterValue> mixed;
      for (std::size_t i = 0; i < record_->counters.size(); ++i) {
        const CounterValue &a = all[from->first + first + i], &b = all[to->first + first + i];
        mixed.push_back(
            {mix(a.value, b.value), mix(a.enabled_s, b.enabled_s), mix(a.running_s, b.running_s)});
      }
      return mixed;
    };
    CounterSums sums;
    sums.outside_s = mix(from->outside_s, to->outside_s);
    sums.inside_s = mix(from->inside_s, to->inside_s);
    sums.outside = values(0);
    sums.inside = values(record_->counters.size());
    return sums;
  }

  const trace::RankRecord* record_;
  std::vector<Point> points_;  // times ascend
};

/// The counters of a rank.
struct RankCurves {
  int rank = 0;
  std::vector<std::size_t> columns;
  std::map<std::uint32_t, Curve> threads;
};

std::vector<RankCurves> curves_of(const Job& job, const trace::Trace& trace,
                                  const CountedEvents& events) {
  const std::int64_t begin = run_of(trace).begin;
  std::vector<RankCurves> all;
  for (const trace::RankRecord* record : job.ranks) {
    const auto rank = static_cast<std::size_t>(record->world_rank);
    if (record->counter_readings.empty() || rank >= trace.ranks.size()) continue;
    if (trace.ranks[rank].host.empty()) continue;  // it has no events
    RankCurves& curves = all.emplace_back();
    curves.rank = record->world_rank;
    curves.columns = events.columns_of(*record);
    for (const trace::CounterReading& reading : record->counter_readings) {
      const std::int64_t ns = trace.ranks[rank].clock(reading.ticks) - begin;
      curves.threads.try_emplace(reading.thread, *record)
          .first->second.add(static_cast<double>(ns) * 1e-9, reading);
    }
  }
  return all;
}

json counts_json(const CountedPlace& place, std::size_t events) {
  return {{"outside_s", place.outside_s},
          {"inside_s", place.inside_s},
          {"outside", CountedPlace::totals(place.outside, events)},
          {"inside", CountedPlace::totals(place.inside, events)}};
}

json figures_json(const std::vector<DerivedFigure>& figures) {
  json rows = json::array();
  for (const DerivedFigure& figure : figures) {
    rows.push_back({{"id", figure.id},
                    {"name", figure.name},
                    {"value", figure.value},
                    {"unit", figure.unit},
                    {"bound", figure.bound},
                    {"bound_name", figure.bound_name}});
  }
  return rows;
}

}  // namespace

void add_phase_counters(const Job& job, const trace::Trace& trace,
                        const machine::MachineFile* machine, json& analysis) {
  const CountedEvents events(job);
  const std::vector<RankCurves> curves = curves_of(job, trace, events);
  if (curves.empty()) return;
  std::vector<std::string> names;
  for (const CounterEventRow& event : events.rows) names.push_back(event.name);
  for (json& phase : analysis.at("phases")) {
    const double begin_s = phase.at("begin_s").get<double>();
    const double end_s = phase.at("end_s").get<double>();
    CountedPlace all;
    double elapsed_s = 0;
    json ranks = json::array();
    for (const RankCurves& rank : curves) {
      CountedPlace of_rank;
      ElapsedTime elapsed;
      for (const auto& [thread, curve] : rank.threads) {
        const CounterSums sums = curve.between(begin_s, end_s);
        of_rank.add(sums, rank.columns);
        all.add(sums, rank.columns);
        elapsed.add(curve.calls_mpi(), sums.outside_s);
      }
      elapsed_s += elapsed.seconds() / static_cast<double>(curves.size());
      ranks.push_back(counts_json(of_rank, names.size()));
      ranks.back()["rank"] = rank.rank;
    }
    CounterRegionRow row;
    row.outside = CountedPlace::totals(all.outside, names.size());
    row.inside = CountedPlace::totals(all.inside, names.size());
    json counters = counts_json(all, names.size());
    counters["events"] = names;
    counters["ranks"] = std::move(ranks);
    counters["derived"] =
        figures_json(derived_figures_of(events.rows, row, nodes_of(job), elapsed_s, machine));
    phase["counters"] = std::move(counters);
  }
}

}  // namespace plait::report
