// SPDX-License-Identifier: BSD-3-Clause
// How a thread waits for the messages of an exchange: spinning, yielding or sleeping.
#include "solve/wait.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>

#include "solve/partitioned.hpp"

namespace plait::solve {
namespace {

/// Timers of the calling thread fire within a microsecond while this lives: Linux otherwise delays
/// them by 50 us, more than a pause between polls.
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

/// Times that the calling thread was taken off its core for another.
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
  // Short waits, as of messages within a node, end before a look at the clock would.
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
  // One switch a wait may be a system service; two within one are someone who stays.
  constexpr int polls_a_look = 256;
  constexpr int waits_after_switch = 200;
  const long switches = involuntary_switches();
  for (;;) {
    for (int poll = 0; poll < polls_a_look; ++poll) {
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
  // Clipped to 20 to 200 us; what has already been waited counts as expected, so that the end is
  // overslept by a twentieth of the whole at most. A test may move one piece of one message only
  // (MPICH over libfabric): each awakening takes all that has come by then.
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

}  // namespace plait::solve
