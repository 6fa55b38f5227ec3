// SPDX-License-Identifier: BSD-3-Clause
// How long the calling thread waited for a CPU, read so seldom that it costs less than 1 %.
//
// The kernel takes a CPU away for a millisecond or more, so a thread that waited for one spent a
// long time in one place. Only after such a time is the thread's wait read from /proc, in less than
// a microsecond.
#pragma once

#include <stdint.h>

namespace plait::preload {

/// A moment at which a thread's wait was read. Zeroed: never.
struct WaitClock {
  uint64_t sampled;    ///< ticks
  uint64_t waited_ns;  ///< of the thread until it was read
  uint64_t carried;    ///< ticks that it waited between the moment and the reading
};

/// The wait is read when this many ticks have passed since the last time; before MPI_Init's end and
/// from MPI_Finalize on, never.
extern uint64_t wait_period;

inline bool is_due(const WaitClock& clock, uint64_t now) {
  return __builtin_expect(now - clock.sampled >= wait_period, 0);
}

/// True where an MPI call begins or ends and something is to be read there: the wait, or counters.
/// The latter may be cheap enough to be read at each such border.
extern uint64_t border_period;
inline bool is_border_due(const WaitClock& clock, uint64_t now) {
  return __builtin_expect(now - clock.sampled >= border_period, 0);
}
void read_at_each_call();

/// Ticks for which the calling thread waited for a CPU between the clock's moment and `now`; 0 at
/// the first time, or if the kernel keeps no such time. Sets the clock to `now`. If the thread
/// loses its CPU between `now` and the reading, that wait counts at the next one. Makes system
/// calls.
uint64_t read_wait(WaitClock& clock, uint64_t now);

/// Begins and ends the time in which waits are read.
void start_reading_waits();
void stop_reading_waits();

}  // namespace plait::preload
