// SPDX-License-Identifier: BSD-3-Clause
// Readings of a thread's counters over time, which a traced run keeps: phases are known only after
// the run.
//
// A reading is kept every millisecond at first, and half as often each time another 512 are kept.
// Between two kept readings, counts are divided evenly; so if nothing was read for a long time, the
// reading before that time is kept as well.
#pragma once

#include <stdint.h>

#include "trace/record_format.h"

namespace plait::preload::counters {

/// What a thread's counters have counted since Init, in all regions; outside MPI, inside MPI.
struct Totals {
  uint64_t ticks[2];
  plait_counter_value values[2][PLAIT_MOST_COUNTERS];
};

/// The kept readings of a thread's counters. Zeroed: none.
struct Readings {
  uint32_t number;  ///< of the counters
  uint32_t count;
  uint64_t latest, next;  ///< ticks: of the latest, and when another is due
  uint64_t period;        ///< ticks
};

/// Begins to keep readings if the run is traced, and ends it.
void open_readings(int events);
void close_readings();

/// True if a reading at `now` is to be kept.
bool is_reading_due(const Readings& readings, uint64_t now);

/// To be called before a reading that is kept is added to the totals: keeps the one before if it is
/// the thread's first, or much earlier.
/// @param before  ticks of that reading
void keep_reading_before(Readings* readings, uint64_t before, uint64_t now, const Totals& totals);

/// Keeps a reading at `now`, if readings are kept.
void keep_reading(Readings* readings, uint64_t now, const Totals& totals);

}  // namespace plait::preload::counters
