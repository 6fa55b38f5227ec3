// SPDX-License-Identifier: BSD-3-Clause
// How a thread waits for what other threads do.
#pragma once

#include <sched.h>
#include <time.h>

#include "plait/schedule.hpp"

namespace plait::solve {

/// A thread that waits for flags or messages: it polls, then yields, then sleeps.
class Patience {
public:
  explicit Patience(Wait wait) : wait_(wait) {}

  void wait_once() {
    constexpr int kSpins = 2000, kYields = 200;
    ++waits_;
    if (wait_ == Wait::spin || (wait_ == Wait::automatic && waits_ < kSpins)) return;
    if (wait_ == Wait::yield || (wait_ == Wait::automatic && waits_ < kSpins + kYields)) {
      sched_yield();
      return;
    }
    constexpr long kSleepNs = 20'000;
    const timespec time{0, kSleepNs};
    nanosleep(&time, nullptr);
  }
  void begin_again() { waits_ = 0; }

private:
  Wait wait_;
  int waits_ = 0;
};

}  // namespace plait::solve
