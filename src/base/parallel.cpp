// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work on the cores that there are.
#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/pause.hpp"

namespace plait {

unsigned usable_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&cpus)));
  }
  return std::max(1U, std::thread::hardware_concurrency());  // more CPUs than the set has room for
}

/// Calls for the indices from 0 to count - 1, which several threads share.
class Crew::Round {
public:
  Round(std::size_t count, const std::function<void(std::size_t)>& work)
      : count_(count), work_(work), failed_(count) {}

  /// Of each thread: does what is left.
  void run() {
    for (std::size_t index = next_++; index < count_; index = next_++) {
      try {
        work_(index);
      } catch (...) {
        const std::lock_guard hold(lock_);
        if (index >= failed_) continue;
        failed_ = index;
        failure_ = std::current_exception();
      }
    }
  }

  /// When all threads are done.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex lock_;
  std::exception_ptr failure_;
  std::size_t failed_;
};

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work,
                    unsigned threads) {
  const std::size_t most = threads == 0 ? usable_cpus() : threads;
  Crew(static_cast<unsigned>(std::min(most, count))).for_each_index(count, work);
}

struct Crew::Shared {
  Round* round = nullptr;  // null: the end
  std::atomic<std::uint32_t> rounds{0};
  std::atomic<std::uint32_t> at_work{0};
};

namespace {

/// Waits until a number changes: looks for a few microseconds, as a sleep and a wake-up take longer
/// than a short round.
void wait_while(const std::atomic<std::uint32_t>& number, std::uint32_t old) {
  constexpr int kLooks = 500;
  for (int look = 0; look < kLooks; ++look) {
    if (number.load(std::memory_order_acquire) != old) return;
    pause_cpu();
  }
  number.wait(old, std::memory_order_acquire);
}

}  // namespace

Crew::Crew(unsigned threads) : shared_(std::make_unique<Shared>()) {
  const auto follow = [&shared = *shared_] {
    for (std::uint32_t seen = 0;; ++seen) {
      wait_while(shared.rounds, seen);
      if (shared.round == nullptr) return;
      shared.round->run();
      if (shared.at_work.fetch_sub(1, std::memory_order_acq_rel) == 1) shared.at_work.notify_one();
    }
  };
  for (unsigned i = 1; i < threads; ++i) {
    try {
      others_.emplace_back(follow);
    } catch (const std::system_error&) {
      break;  // a limit of threads: those that there are do the work
    }
  }
}

Crew::~Crew() {
  start(nullptr);
  for (std::thread& other : others_) other.join();
}

void Crew::for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  Round round(count, work);
  shared_->at_work.store(static_cast<std::uint32_t>(others_.size()), std::memory_order_relaxed);
  start(&round);
  round.run();
  for (std::uint32_t left = shared_->at_work.load(std::memory_order_acquire); left > 0;
       left = shared_->at_work.load(std::memory_order_acquire)) {
    wait_while(shared_->at_work, left);
  }
  round.rethrow();
}

void Crew::start(Round* round) {
  shared_->round = round;
  shared_->rounds.fetch_add(1, std::memory_order_release);
  shared_->rounds.notify_all();
}

std::vector<IndexRange> ranges_of(std::size_t count, unsigned threads) {
  constexpr std::size_t kOfThread = 8;
  const std::size_t number = std::min(count, kOfThread * (threads == 0 ? usable_cpus() : threads));
  std::vector<IndexRange> ranges;
  for (std::size_t i = 0; i < number; ++i) {
    ranges.push_back({count * i / number, count * (i + 1) / number});
  }
  return ranges;
}

std::size_t range_of(const std::vector<IndexRange>& ranges, std::size_t index) {
  const auto found = std::ranges::upper_bound(ranges, index, {}, &IndexRange::last);
  return static_cast<std::size_t>(found - ranges.begin());
}

IndexRange share_of(std::size_t count, std::size_t together, std::size_t processes,
                    std::size_t process) {
  const std::size_t groups = (count + together - 1) / together;
  const auto end = [&](std::size_t of) {
    return std::min(count, groups * of / processes * together);
  };
  return {end(process), end(process + 1)};
}

}  // namespace plait
