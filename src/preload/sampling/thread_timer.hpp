// SPDX-License-Identifier: BSD-3-Clause
// What interrupts a thread for its samples: a timer of the kernel, or perf's clock of CPU time.
//
// Timers of CPU time expire at ticks of the kernel. They find work of less than a tick too seldom
// if the thread sleeps or yields in between. perf's clock is exact, but not every user may use it,
// and it is a file, which the program may close.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <time.h>

namespace plait::preload::sampling {

/// cpu: timers of CPU time.
enum class SampleClock { cpu, wall, perf };

struct ThreadTimer {
  timer_t timer;
  int file;     // of perf's clock: 1 + its descriptor; 0: none
  uint64_t id;  // of perf's event, so that no file of the program is mistaken for it
  bool runs;
};

/// Sends `signal` to the thread with `data` each time its clock has advanced by a period.
/// False: the system has no room, or forbids it.
bool start_timer(ThreadTimer* timer, SampleClock clock, int32_t tid, int signal, void* data,
                 uint64_t period_ns);
void stop_timer(ThreadTimer* timer);

/// Was the signal sent by this timer? For those of perf's clock only, which carry no data.
bool is_of_perf(const ThreadTimer& timer, const siginfo_t& info);

/// perf's clock stops with each signal, so that no second one can wait. Async-signal-safe.
void continue_timer(const ThreadTimer& timer);

/// In a child process, which has the parent's files.
void forget_timer(ThreadTimer* timer);

/// May this process use perf's clock, in the kernel too?
bool perf_clock_is_permitted();

}  // namespace plait::preload::sampling
