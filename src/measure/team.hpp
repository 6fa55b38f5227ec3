// SPDX-License-Identifier: BSD-3-Clause
// A team of bound threads that run jobs together and synchronize with a spinning barrier.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace plait::measure {

/// Tells the core that the thread is spinning.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Spins until `done()`. It yields now and then, so that two threads on one core make progress.
/// @tparam eager  do not pause between checks, for latencies: a pause costs up to 140 cycles
template <bool eager = false, class Condition>
void spin_until(Condition done) {
  int spins = 0;
  while (!done()) {
    if constexpr (!eager) relax();
    if (++spins == 20000) {
      std::this_thread::yield();
      spins = 0;
    }
  }
}

/// A reusable spinning barrier for `count` threads.
class SpinBarrier {
public:
  explicit SpinBarrier(int count) : count_(count) {}
  void wait();

private:
  const int count_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> generation_{0};
};

/// The time that threads waited for a CPU during jobs.
struct Disturbance {
  double delay_s = 0;   ///< waiting for a CPU while something else ran
  double thread_s = 0;  ///< time of all threads in jobs

  Disturbance& operator+=(const Disturbance& other);
  /// delay_s / thread_s; 0 if nothing ran.
  [[nodiscard]] double share() const;
};

/// A team of threads; thread i is bound to hardware thread pus[i].
class Team {
public:
  using Job = std::function<void(int thread)>;

  /// @throws Error when a thread cannot be bound.
  explicit Team(const std::vector<int>& pus);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()); }
  [[nodiscard]] SpinBarrier& barrier() { return barrier_; }
  [[nodiscard]] const Disturbance& disturbance() const { return disturbance_; }

  /// Runs the job on every thread and returns when all are done. The job must not throw.
  void run(const Job& job);
  /// The largest fraction of the last job that a thread waited for a CPU.
  [[nodiscard]] double waited() const { return waited_; }

  /// Runs `part(thread)` once on every thread after a barrier.
  /// @return seconds from the start of the first thread to the end of the last; the clock of a
  /// single
  ///         thread would be wrong if that thread is stopped at the barrier
  double time(const Job& part);

private:
  void work(int thread, int pu);

  SpinBarrier barrier_;
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable finish_;
  const Job* job_ = nullptr;
  std::uint64_t generation_ = 0;
  int running_ = 0;
  int unbound_ = 0;
  bool stop_ = false;
  Disturbance disturbance_;
  double waited_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace plait::measure
