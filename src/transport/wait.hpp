// SPDX-License-Identifier: BSD-3-Clause
// How a process waits for news: it polls, then yields to other members, then sleeps.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/queues.hpp"

namespace plait::transport {

/// How often a process polls before it does the next thing.
struct WaitPolicy {
  uint32_t spins;  ///< polls with a pause
  /// Polls with sched_yield, with which another member got the CPU; none while other programs use
  /// it, if the process sleeps.
  uint32_t yields;
  bool sleeps;                    ///< then; else it yields again
  bool alone = false;             ///< each process has a CPU for itself
  uint32_t idle_yields = yields;  ///< that nobody made use of

  /// Polls only: a process per CPU, and no others.
  static constexpr WaitPolicy spin() { return {UINT32_MAX, 0, false}; }
  static constexpr WaitPolicy yield() { return {10, UINT32_MAX, false}; }
  static constexpr WaitPolicy sleep() { return {10, 1, true}; }

  /// Polls for about as long as a sleep and a wake-up take if each process has a CPU for itself.
  /// Else each poll takes time from the process that is waited for, so the others run after one:
  /// MPI libraries poll once more when a message has come. A yield costs less than a sleep and a
  /// wake-up, but others that wait yield in turn before one that has work. If nobody makes use of
  /// yields, a sleep would leave the CPU idle, from which a wake-up takes long.
  static constexpr WaitPolicy automatic(uint32_t members, uint32_t cpus) {
    return members <= cpus ? WaitPolicy{2000, 20, true, true} : WaitPolicy{1, 20, true, false, 100};
  }
};

enum class Waited {
  news,     ///< take() may find something
  nothing,  ///< it was not allowed to sleep
  failed,   ///< a process is dead
};

/// What somebody does who polls again and again, after a poll that found nothing.
enum class Step {
  again,
  take,  ///< there are news
  pause,
  yield,
  sleep
};

/// Waits for one member.
class Waiter {
public:
  Waiter(Queues& queues, const WaitPolicy& policy) noexcept;

  /// Waits until there are news or a process is dead.
  /// @param may_sleep  false: it returns before it would sleep. Sends that wait for memory go on
  ///                   without any news.
  Waited wait(bool may_sleep) noexcept;

  /// What to do after a poll that found nothing, for callers that return to their program after
  /// each: first polls again, then pauses, yields and sleeps. One that has done something else
  /// since its last poll begins again.
  /// @param may_sleep  as for wait()
  Step next_step(bool may_sleep) noexcept;

  /// Gives the CPU away once if members share CPUs, and no other program uses this one.
  void let_others_run() noexcept;

  /// Polls have found something.
  void found() noexcept { begin(); }

  /// Step::yield.
  void give_way() noexcept;

  /// Step::sleep: announces it. @return false if there are news; then nothing is to be done
  [[nodiscard]] bool begin_sleep() noexcept;
  /// Sleeps, first for 50 us at most, later for up to a millisecond; the only function that may be
  /// called while others use the queues.
  void sleep_briefly() noexcept;
  void end_sleep() noexcept;

  [[nodiscard]] uint64_t sleeps() const noexcept { return sleeps_; }
  [[nodiscard]] uint64_t yields() const noexcept { return yields_.load(std::memory_order_relaxed); }

  /// Sleeps after whose longest time there were news: nearly none, unless a wake-up is lost.
  [[nodiscard]] uint64_t late() const noexcept { return late_; }

private:
  void begin() noexcept {
    steps_ = used_ = unused_ = 0;
    yields_now_ = false;
  }
  bool poll_and_pause() noexcept;
  bool poll_and_yield() noexcept;
  /// Times in ticks.
  struct Ticks {
    uint64_t between_looks, long_yield, away, twice, disturbed;
  };
  [[nodiscard]] CpuNotes& cpu() const noexcept;
  uint64_t yield(uint64_t now) noexcept;
  void note_other_program(CpuNotes& cpu, uint64_t now) const noexcept;
  void count_yield() noexcept { ++(others_ran_.load(std::memory_order_relaxed) ? used_ : unused_); }
  [[nodiscard]] bool may_yield() const noexcept {
    return used_ < policy_.yields && unused_ < policy_.idle_yields;
  }
  [[nodiscard]] bool is_disturbed(uint64_t now) const noexcept;
  bool look_in_time(uint64_t now) noexcept;
  bool sleep() noexcept;

  Queues& queues_;
  const WaitPolicy policy_;
  const Ticks ticks_;
  uint32_t look_at_;                      ///< each member begins with another one
  uint64_t looked_ = 0;                   ///< in ticks
  uint32_t steps_ = 0;                    ///< polls in a row that found nothing
  uint32_t used_ = 0, unused_ = 0;        ///< yields among them
  bool yields_now_ = false;               ///< the last step was one
  std::atomic<bool> others_ran_ = false;  ///< in the last yield
  std::atomic<uint64_t> stepped_ = 0;     ///< when the last of them ended, in ticks
  uint32_t brief_us_;                     ///< the next sleep in a poll
  bool was_away_ = false;                 ///< before the last of them
  uint32_t waits_ = 0;
  uint64_t sleeps_ = 0, late_ = 0;
  std::atomic<uint64_t> yields_ = 0;
};

}  // namespace plait::transport
