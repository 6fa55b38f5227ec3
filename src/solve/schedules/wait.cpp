// SPDX-License-Identifier: BSD-3-Clause
// Waits for the messages of an exchange by spinning, yielding or sleeping.
#include "solve/schedules/wait.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>

#include "solve/schedules/partitioned.hpp"

namespace plait::solve {
namespace {

/// While this object exists, timers of the calling thread fire within a microsecond. By default
/// Linux delays them by up to 50 us, more than a pause between polls.
class FineTimers {
public:
  FineTimers() : before_(prctl(PR_GET_TIMERSLACK)) { prctl(PR_SET_TIMERSLACK, 1000UL); }
  ~FineTimers() {
    if (before_ > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_));
  }
  FineTimers(const FineTimers&) = delete;
  FineTimers& operator=(const FineTimers&) = delete;

private:
  int before_;
};

/// Number of times that another thread displaced the calling thread from its core.
long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

void pause_for(double us) {
  const auto ns = static_cast<long>(us * 1e3);
  const timespec pause{ns / 1'000'000'000, ns % 1'000'000'000};
  nanosleep(&pause, nullptr);
}

}  // namespace

void wait_politely(MPI_Request& request) {
  constexpr int tests_before_sleep = 500;
  const FineTimers fine;
  for (int test = 0;; ++test) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (test >= tests_before_sleep) pause_for(50);
  }
}

void Waiter::make_way() const {
  if (!owns_core_) sched_yield();
}

template <class Exchange>
void Waiter::wait_for(Exchange& exchange) {
  const bool spins = policy_ == Wait::automatic && owns_core_ && waits_to_sleep_ == 0;
  // Short waits, for messages within a node, are over before a clock could be read.
  for (int poll = 0; poll < (spins ? 64 : 1); ++poll) {
    if (exchange.test()) return;
  }
  switch (policy_) {
    case Wait::spin:
      exchange.wait();
      return;
    case Wait::yield:
      while (!exchange.test()) sched_yield();
      return;
    case Wait::sleep:
    case Wait::automatic:
      break;
  }
  const Clock::time_point begin = Clock::now();
  if (waits_to_sleep_ > 0) --waits_to_sleep_;
  if (!spins || !spin(exchange)) sleep(exchange, begin);
  const double took_us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  expected_us_ += (took_us - expected_us_) / 8;
}

template <class Exchange>
bool Waiter::spin(Exchange& exchange) {
  // One switch per wait may be a system service; two mean that another program stays on the core.
  constexpr int polls_per_check = 256;
  constexpr int waits_after_switch = 200;
  const long switches = involuntary_switches();
  for (;;) {
    for (int poll = 0; poll < polls_per_check; ++poll) {
      if (exchange.test()) return true;
    }
    if (involuntary_switches() > switches + 1) {
      waits_to_sleep_ = waits_after_switch;
      return false;
    }
  }
}

template <class Exchange>
void Waiter::sleep(Exchange& exchange, Clock::time_point begin) {
  // Each pause is a twentieth of the expected wait or of the wait so far, so that the thread wakes
  // late by at most a twentieth of the whole wait; it is clipped to 20 to 200 us. A test may move
  // only one piece of one message (MPICH over libfabric), so each wakeup tests several times.
  constexpr int tests_at_once = 16;
  const FineTimers fine;
  for (;;) {
    for (int test = 0; test < tests_at_once; ++test) {
      if (exchange.test()) return;
    }
    double pause_us = static_cast<double>(poll_.count());
    if (pause_us == 0) {
      const double waited_us =
          std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      pause_us = std::clamp(std::max(waited_us, expected_us_) / 20, 20.0, 200.0);
    }
    pause_for(pause_us);
  }
}

void Waiter::wait(Halo& halo) {
  wait_for(halo);
}

void Waiter::wait(PartitionedExchange& exchange) {
  wait_for(exchange);
}

void Waiter::wait(InFlight& exchange) {
  wait_for(exchange);
}

}  // namespace plait::solve
