// SPDX-License-Identifier: BSD-3-Clause
// Readings of a thread's counters over time, which a traced run keeps.
#include "preload/counters/readings.hpp"

#include <string.h>

#include "preload/recorder.hpp"

namespace plait::preload::counters {

namespace {

constexpr double kFirstPeriodS = 1e-3;
constexpr uint32_t kReadingsPerPeriod = 512;

int event_count;
uint64_t first_period;  // 0: readings are not kept
int table_lock;

void append_reading(const Readings& readings, uint64_t ticks, const Totals& totals) {
  const auto events = static_cast<uint32_t>(event_count);
  SpinLock hold(&table_lock);
  uint32_t first = 0;
  auto* values = static_cast<plait_counter_value*>(
      append_run(PLAIT_SECTION_COUNTER_TOTALS, 2 * events, &first));
  if (!values) return;
  memcpy(values, totals.values[0], events * sizeof *values);
  memcpy(values + events, totals.values[1], events * sizeof *values);
  publish(PLAIT_SECTION_COUNTER_TOTALS, first + 2 * events);
  auto* reading = static_cast<plait_counter_reading*>(append(PLAIT_SECTION_COUNTER_READINGS));
  if (!reading) return;
  *reading = {ticks, readings.number, first, {totals.ticks[0], totals.ticks[1]}};
  publish(PLAIT_SECTION_COUNTER_READINGS);
}

}  // namespace

void open_readings(int events) {
  event_count = events;
  if (wants_trace()) first_period = static_cast<uint64_t>(record->ticks_per_s * kFirstPeriodS);
}

void close_readings() {
  first_period = 0;
}

bool is_reading_due(const Readings& readings, uint64_t now) {
  return first_period && now >= readings.next;
}

void keep_reading_before(Readings* readings, uint64_t before, uint64_t now, const Totals& totals) {
  const bool is_first = readings->count == 0;
  if (!is_first && (before <= readings->latest || now - before <= readings->period)) return;
  keep_reading(readings, before, totals);
}

void keep_reading(Readings* readings, uint64_t now, const Totals& totals) {
  if (!first_period) return;
  append_reading(*readings, now, totals);
  if (!readings->period) readings->period = first_period;
  if (++readings->count % kReadingsPerPeriod == 0) readings->period *= 2;
  readings->latest = now;
  readings->next = now + readings->period;
}

}  // namespace plait::preload::counters
