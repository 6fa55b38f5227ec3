// SPDX-License-Identifier: BSD-3-Clause
// How a process waits for news: it polls, then yields, then sleeps.
#include "transport/wait.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/pause.hpp"
#include "transport/clock.hpp"

namespace plait::transport {
namespace {

constexpr uint32_t kLookUs = 50'000;  ///< between looks for dead processes; the longest sleep
constexpr uint32_t kSpinsPerClock = 4096, kWaitsPerClock = 8;
constexpr uint32_t kSpinsWithoutSleep = 100;

constexpr uint64_t kMicrosecond = 1000;
/// A yield that takes longer gave a whole time slice away.
constexpr uint64_t kLongYieldNs = 200 * kMicrosecond;
/// A caller that has not polled for so long, twice in a row, does something else in between. MPI
/// libraries that wait poll more often, but for a look at other events now and then.
constexpr uint64_t kAwayNs = 1 * kMicrosecond;
/// Sleeps in a poll: each takes twice as long as the one before that no message ended.
constexpr uint32_t kLeastBriefUs = 50, kMostBriefUs = 1000;
constexpr uint32_t kLooksPerStep = 8;
constexpr uint32_t kStepsWithoutPause = 100;  ///< polls of a caller that does a little in between
/// How long other programs are assumed on the CPU when they have taken it twice within some time.
constexpr uint64_t kTwiceNs = 20'000 * kMicrosecond, kDisturbedNs = 50'000 * kMicrosecond;

/// Not sched_yield(), which `plait run --wait` may have replaced.
void yield_cpu() {
  syscall(SYS_sched_yield);
}

}  // namespace

Waiter::Waiter(Queues& queues, const WaitPolicy& policy) noexcept
    : queues_(queues),
      policy_(policy),
      ticks_{ticks_of(kLookUs * kMicrosecond), ticks_of(kLongYieldNs), ticks_of(kAwayNs),
             ticks_of(kTwiceNs), ticks_of(kDisturbedNs)},
      look_at_(queues.self()),
      brief_us_(kLeastBriefUs) {}

Waited Waiter::wait(bool may_sleep) noexcept {
  while (may_sleep) {
    if (poll_and_pause() || poll_and_yield()) return Waited::news;
    if (queues_.node().failed()) return Waited::failed;
    if (policy_.sleeps && sleep()) return Waited::news;
  }
  for (uint32_t spin = 0; spin < std::min(policy_.spins, kSpinsWithoutSleep); ++spin) {
    if (queues_.has_news()) return Waited::news;
    pause_cpu();
  }
  if (policy_.sleeps || policy_.yields > 0) yield_cpu();
  if (++waits_ % kWaitsPerClock == 0) look_in_time(now_ticks());
  return queues_.node().failed() ? Waited::failed : Waited::nothing;
}

/// @return true if there are news; false after the polls with a pause, or when a process is dead
bool Waiter::poll_and_pause() noexcept {
  for (uint32_t spin = 1; spin <= policy_.spins; ++spin) {
    if (queues_.has_news()) return true;
    pause_cpu();
    if (spin % kSpinsPerClock != 0) continue;
    look_in_time(now_ticks());
    if (queues_.node().failed()) return false;
  }
  return false;
}

/// The same for the polls with a yield; they also end when other programs use the CPU.
bool Waiter::poll_and_yield() noexcept {
  begin();
  uint64_t now = now_ticks();
  while (may_yield()) {
    if (queues_.has_news()) return true;
    if (policy_.sleeps && is_disturbed(now)) return false;
    now = yield(now);
    count_yield();
    look_in_time(now);
    if (queues_.node().failed()) return false;
  }
  return false;
}

/// The notes about this member's CPU.
CpuNotes& Waiter::cpu() const noexcept {
  return queues_.node().notes_of(static_cast<uint32_t>(std::max(sched_getcpu(), 0)));
}

/// Gives the CPU to another thread. If it comes back late from a member that has yielded, or from
/// nobody, then another program had it.
/// @return the time after that
[[gnu::hot]] uint64_t Waiter::yield(uint64_t now) noexcept {
  yields_.fetch_add(1, std::memory_order_relaxed);
  CpuNotes& before = cpu();
  const uint64_t yielded = 2 * now + 1;
  before.last.store(yielded, std::memory_order_relaxed);
  yield_cpu();
  const uint64_t after = now_ticks();
  const uint64_t last = before.last.load(std::memory_order_relaxed);
  if (last % 2 != 0 && after > last / 2 + ticks_.long_yield) note_other_program(before, after);
  others_ran_.store(last != yielded, std::memory_order_relaxed);
  cpu().last.store(2 * after, std::memory_order_relaxed);
  return after;
}

void Waiter::note_other_program(CpuNotes& cpu, uint64_t now) const noexcept {
  // Once may be something that happens seldom. If it was so before, it probably still is.
  const uint64_t until = cpu.disturbed_until.load(std::memory_order_relaxed);
  if (now < cpu.taken.load(std::memory_order_relaxed) + ticks_.twice || now < until + ticks_.twice)
    cpu.disturbed_until.store(now + ticks_.disturbed, std::memory_order_relaxed);
  cpu.taken.store(now, std::memory_order_relaxed);
}

/// Other programs use the CPU: a yield would take a time slice.
bool Waiter::is_disturbed(uint64_t now) const noexcept {
  return now < cpu().disturbed_until.load(std::memory_order_relaxed);
}

[[gnu::hot]] Step Waiter::next_step(bool may_sleep) noexcept {
  if (++steps_ <= std::min(policy_.spins, kStepsWithoutPause)) {
    // The way back to the MPI library and from there to the next poll takes longer than a look.
    for (uint32_t look = 0; policy_.alone && look < kLooksPerStep; ++look) {
      if (queues_.has_news()) return Step::take;
    }
    return Step::again;
  }
  if (steps_ <= policy_.spins) {
    if (steps_ % kSpinsPerClock == 0) look_in_time(now_ticks());
    return Step::pause;
  }
  if (yields_now_) count_yield();
  yields_now_ = false;
  const uint64_t now = now_ticks();
  const bool away =
      now - stepped_.load(std::memory_order_relaxed) > ticks_.away && steps_ > policy_.spins + 1;
  const bool away_again = away && was_away_;
  was_away_ = away;
  // The time that the look takes is not the caller's.
  stepped_.store(look_in_time(now) ? now_ticks() : now, std::memory_order_relaxed);
  if (away_again) {
    begin();
    return Step::again;
  }
  if (policy_.sleeps && may_sleep && is_disturbed(now)) {
    // How long the caller was away is known from the second step on.
    return away || steps_ == policy_.spins + 1 ? Step::again : Step::sleep;
  }
  yields_now_ = away || !policy_.sleeps || !may_sleep || may_yield();
  return yields_now_ ? Step::yield : Step::sleep;
}

[[gnu::hot]] void Waiter::give_way() noexcept {
  stepped_.store(yield(stepped_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

void Waiter::let_others_run() noexcept {
  if (policy_.alone || policy_.yields == 0) return;
  const uint64_t now = now_ticks();
  if (!is_disturbed(now)) stepped_.store(yield(now), std::memory_order_relaxed);
}

bool Waiter::begin_sleep() noexcept {
  Bell& bell = queues_.node().bell(queues_.self());
  bell.announce_sleep();
  if (!queues_.has_news() && !queues_.node().failed()) return true;
  bell.stay_awake();
  return false;
}

void Waiter::sleep_briefly() noexcept {
  const bool woken = queues_.node().bell(queues_.self()).sleep(brief_us_);
  brief_us_ = woken ? kLeastBriefUs : std::min(2 * brief_us_, kMostBriefUs);
}

void Waiter::end_sleep() noexcept {
  ++sleeps_;
  queues_.node().bell(queues_.self()).stay_awake();
  const uint64_t now = now_ticks();
  stepped_.store(now, std::memory_order_relaxed);
  cpu().last.store(2 * now, std::memory_order_relaxed);
}

/// Looks for dead processes if it is time for it.
/// @return true if it looked
bool Waiter::look_in_time(uint64_t now) noexcept {
  if (now - looked_ < ticks_.between_looks) return false;
  looked_ = now;
  queues_.node().look_for_dead(look_at_);
  return true;
}

/// @return true if there are news
bool Waiter::sleep() noexcept {
  Bell& bell = queues_.node().bell(queues_.self());
  bell.announce_sleep();
  bool news = queues_.has_news();
  if (!news && !queues_.node().failed()) {
    ++sleeps_;
    const bool woken = bell.sleep(kLookUs);
    const uint64_t now = now_ticks();
    cpu().last.store(2 * now, std::memory_order_relaxed);
    news = queues_.has_news();
    if (news && !woken) ++late_;
    look_in_time(now);
  }
  bell.stay_awake();
  return news;
}

}  // namespace plait::transport
