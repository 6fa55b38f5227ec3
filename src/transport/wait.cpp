// SPDX-License-Identifier: BSD-3-Clause
// How a process waits for news: it polls, then yields, then sleeps.
#include "transport/wait.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace plait::transport {
namespace {

constexpr uint32_t kLookMs = 50;  ///< between looks for dead processes; the longest sleep
/// A yield may take a time slice of another program, so the clock is read often.
constexpr uint32_t kSpinsPerClock = 4096, kYieldsPerClock = 8;
constexpr uint32_t kSpinsWithoutSleep = 100;

/// A yield that takes longer gave a whole time slice away.
constexpr uint64_t kLongYieldUs = 200;
/// A caller that has not polled for so long, twice in a row, does something else in between. MPI
/// libraries that wait poll more often, but for a look at other events now and then.
constexpr uint64_t kAwayNs = 1000;
constexpr uint32_t kBriefMs = 1;
constexpr uint32_t kStepsWithoutPause = 100;  ///< polls of a caller that does a little in between
/// How long other programs are then assumed on the CPU.
constexpr uint64_t kDisturbedUs = 200'000;

/// Not sched_yield(), which `plait run --wait` may have replaced.
void yield_cpu() {
  syscall(SYS_sched_yield);
}

uint64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t now_us(clockid_t clock) {
  return now_ns(clock) / 1000;
}

}  // namespace

Waited Waiter::wait(bool may_sleep) noexcept {
  while (may_sleep) {
    if (poll(policy_.spins, false) || poll(policy_.yields, true)) return Waited::news;
    if (queues_.node().failed()) return Waited::failed;
    if (policy_.sleeps && sleep()) return Waited::news;
  }
  if (poll(std::min(policy_.spins, kSpinsWithoutSleep), false)) return Waited::news;
  if (policy_.sleeps || policy_.yields > 0) yield_cpu();
  if (++waits_ % kYieldsPerClock == 0) look_in_time();
  return queues_.node().failed() ? Waited::failed : Waited::nothing;
}

/// @return true if there are news; false after so many polls, or when a process is dead
bool Waiter::poll(uint32_t times, bool yields) noexcept {
  const uint32_t per_clock = yields ? kYieldsPerClock : kSpinsPerClock;
  for (uint32_t time = 0; time < times; ++time) {
    if (queues_.has_news()) return true;
    if (!yields) {
      pause_cpu();
    } else if (!policy_.sleeps) {
      yield_cpu();
    } else if (!yield()) {
      return false;
    }
    if ((time + 1) % per_clock != 0) continue;
    look_in_time();
    if (queues_.node().failed()) return false;
  }
  return false;
}

/// Gives the CPU to another thread. Notes this member there before: if no other one has done so in
/// a long yield, then another program had the CPU.
/// @return false while other programs are assumed
bool Waiter::yield() noexcept {
  const uint64_t before = now_us(CLOCK_MONOTONIC);
  if (before < disturbed_until_us_.load(std::memory_order_relaxed)) return false;
  const int cpu = sched_getcpu();
  if (cpu < 0) {
    yield_cpu();
    return true;
  }
  std::atomic<uint32_t>& last = queues_.node().last_on(static_cast<uint32_t>(cpu));
  const uint32_t self = queues_.self() + 1;
  if (last.load(std::memory_order_relaxed) != self) last.store(self, std::memory_order_relaxed);
  yield_cpu();
  const uint64_t after = now_us(CLOCK_MONOTONIC);
  if (after - before > kLongYieldUs && last.load(std::memory_order_relaxed) == self)
    disturbed_until_us_.store(after + kDisturbedUs, std::memory_order_relaxed);
  return true;
}

Step Waiter::next_step(bool may_sleep) noexcept {
  if (++steps_ <= std::min(policy_.spins, kStepsWithoutPause)) return Step::again;
  if (steps_ <= policy_.spins) {
    if (steps_ % kSpinsPerClock == 0) look_in_time();
    return Step::pause;
  }
  const uint64_t now = now_ns(CLOCK_MONOTONIC);
  const bool away = now - stepped_ns_ > kAwayNs && steps_ > policy_.spins + 1;
  const bool away_again = away && was_away_;
  was_away_ = away;
  stepped_ns_ = now;
  look_in_time();
  if (away_again) {
    steps_ = 0;
    return Step::again;
  }
  // How long the caller was away is known from the second step on.
  const bool yields = steps_ - policy_.spins <= policy_.yields &&
                      (steps_ == policy_.spins + 1 ||
                       now / 1000 >= disturbed_until_us_.load(std::memory_order_relaxed));
  if (yields || away || !policy_.sleeps || !may_sleep) return Step::yield;
  return Step::sleep;
}

void Waiter::give_way() noexcept {
  if (!yield()) yield_cpu();
  stepped_ns_ = now_ns(CLOCK_MONOTONIC);
}

bool Waiter::begin_sleep() noexcept {
  Bell& bell = queues_.node().bell(queues_.self());
  bell.announce_sleep();
  if (!queues_.has_news() && !queues_.node().failed()) return true;
  bell.stay_awake();
  return false;
}

void Waiter::sleep_briefly() noexcept {
  queues_.node().bell(queues_.self()).sleep(kBriefMs);
}

void Waiter::end_sleep() noexcept {
  ++sleeps_;
  queues_.node().bell(queues_.self()).stay_awake();
  stepped_ns_ = now_ns(CLOCK_MONOTONIC);
}

void Waiter::look_in_time() noexcept {
  const uint64_t now = now_us(CLOCK_MONOTONIC_COARSE);
  if (now - looked_us_ < kLookMs * 1000) return;
  looked_us_ = now;
  queues_.node().look_for_dead(look_at_);
}

/// @return true if there are news
bool Waiter::sleep() noexcept {
  Bell& bell = queues_.node().bell(queues_.self());
  bell.announce_sleep();
  bool news = queues_.has_news();
  if (!news && !queues_.node().failed()) {
    ++sleeps_;
    const bool woken = bell.sleep(kLookMs);
    news = queues_.has_news();
    if (news && !woken) ++late_;
    look_in_time();
  }
  bell.stay_awake();
  return news;
}

}  // namespace plait::transport
