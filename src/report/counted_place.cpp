// SPDX-License-Identifier: BSD-3-Clause
// Sums of counts of several threads, corrected for multiplexing.
#include "report/counted_place.hpp"

#include <algorithm>

#include "run/counter_events.hpp"

namespace plait::report {

void CountEstimate::add(const trace::CounterValue& at) {
  enabled_s += at.enabled_s;
  running_s += at.running_s;
  if (at.running_s <= 0) return;
  known_s += at.enabled_s;
  value += at.running_s < at.enabled_s ? at.value * at.enabled_s / at.running_s : at.value;
}

std::optional<double> CountEstimate::total() const {
  if (enabled_s <= 0 || known_s <= 0) return {};
  return known_s < enabled_s ? value * enabled_s / known_s : value;
}

void CountedPlace::add(const trace::CounterSums& sums, const std::vector<std::size_t>& columns) {
  outside_s += sums.outside_s;
  inside_s += sums.inside_s;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    outside.resize(std::max(outside.size(), columns[i] + 1));
    inside.resize(outside.size());
    outside[columns[i]].add(sums.outside[i]);
    inside[columns[i]].add(sums.inside[i]);
  }
}

std::vector<std::optional<double>> CountedPlace::totals(const std::vector<CountEstimate>& of,
                                                        std::size_t events) {
  std::vector<std::optional<double>> all(events);
  for (std::size_t i = 0; i < of.size(); ++i) all[i] = of[i].total();
  return all;
}

CountedEvents::CountedEvents(const Job& job) {
  for (const trace::RankRecord* record : job.ranks) {
    for (const trace::Counter& counter : record->counters) add(counter);
  }
}

std::vector<std::size_t> CountedEvents::columns_of(const trace::RankRecord& record) const {
  std::vector<std::size_t> columns;
  for (const trace::Counter& counter : record.counters) columns.push_back(at_.at(counter.name));
  return columns;
}

void CountedEvents::add(const trace::Counter& counter) {
  const auto [at, added] = at_.try_emplace(counter.name, rows.size());
  if (added) rows.emplace_back().name = counter.name;
  CounterEventRow& row = rows[at->second];
  row.threads += counter.threads;
  row.failures += counter.failures;
  row.user_only = row.user_only || counter.user_only;
  if (counter.error != 0 && row.problem.empty()) {
    row.problem = run::event_problem({counter.name, counter.type, counter.config}, counter.error);
  }
}

}  // namespace plait::report
