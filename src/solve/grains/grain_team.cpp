// SPDX-License-Identifier: BSD-3-Clause
// The team that runs a block: who communicates, who takes which grain, and how threads wait.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "plait/error.hpp"
#include "solve/grains/grain_state.hpp"
#include "solve/schedules/patience.hpp"

namespace plait {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

/// One thread of the team in one run.
class GrainBlock::State::Member {
public:
  Member(State& block, int before)
      : block_(block), before_(before), patience_(block.options.wait) {}

  void run() {
    communicates_ = takes_channel();
    if (communicates_) {
      while (block_.next_grain.load(std::memory_order_relaxed) < before_ && take_if_ready()) {
      }
      communicate();
    }
    take_all();
    finish_messages();
  }

  /// Adds this thread's times to those of the block.
  void add_times(GrainTimes& times) const {
    times.grain_s += grains_s_;
    times.message_s += on_the_way_s_;
    if (communicating_s_ + waiting_s_ < times.communicating_s + times.waiting_s) return;
    times.communicating_s = communicating_s_;
    times.waiting_s = waiting_s_;
    times.before_s = before_s_;
  }

private:
  struct InFlight {
    Part part;
    std::vector<MPI_Request> requests;
  };

  bool takes_channel() {
    if (block_.in_order.empty()) return false;
    const int channels = std::min(block_.options.channels, omp_get_num_threads());
    if (block_.options.communicating == CommunicatingThread::master) {
      return omp_get_thread_num() < channels;
    }
    return block_.communicating.fetch_add(1, std::memory_order_relaxed) < channels;
  }

  /// Tasks in order; meanwhile grains that need not wait. A thread that waited for a grain might
  /// wait for itself.
  void communicate() {
    before_s_ = seconds_since(began_);
    const auto count = static_cast<int>(block_.in_order.size());
    for (int next = block_.next_in_order++; next < count; next = block_.next_in_order++) {
      const Part& part = block_.in_order[static_cast<std::size_t>(next)];
      while (!block_.is_ready(part)) {
        make_progress();
        if (take_if_ready()) continue;
        const Clock::time_point begin = Clock::now();
        patience_.wait_once();
        waiting_s_ += seconds_since(begin);
      }
      patience_.begin_again();
      const Clock::time_point begin = Clock::now();
      execute(part);
      if (part.work->kind != Kind::communication) continue;
      const double seconds = seconds_since(begin);
      communicating_s_ += seconds;
      if (!part.work->begin && in_flight_.empty()) on_the_way_s_ += seconds;
    }
  }

  /// Takes the next grain if what it depends on is complete.
  bool take_if_ready() {
    int position = block_.next_grain.load(std::memory_order_relaxed);
    while (position < static_cast<int>(block_.grains.size()) &&
           block_.is_ready(block_.grains[static_cast<std::size_t>(position)])) {
      if (!block_.next_grain.compare_exchange_weak(position, position + 1,
                                                   std::memory_order_relaxed))
        continue;
      compute(block_.grains[static_cast<std::size_t>(position)]);
      return true;
    }
    return false;
  }

  /// Takes grains in order, until there are no more.
  void take_all() {
    const auto count = static_cast<int>(block_.grains.size());
    for (int next = block_.next_grain++; next < count; next = block_.next_grain++) {
      const Part& part = block_.grains[static_cast<std::size_t>(next)];
      while (!block_.is_ready(part)) {
        make_progress();
        patience_.wait_once();
      }
      patience_.begin_again();
      compute(part);
      make_progress();
    }
  }

  void compute(const Part& part) {
    const Clock::time_point begin = Clock::now();
    execute(part);
    grains_s_ += seconds_since(begin);
  }

  /// After a failure, parts only count as complete, so that nobody waits for them.
  void execute(const Part& part) {
    if (!block_.failed.load(std::memory_order_acquire)) {
      try {
        if (part.work->begin) {
          begin_message(part);
          return;
        }
        part.work->run(part.number);
      } catch (...) {
        fail();
      }
    }
    block_.complete(part);
  }

  void begin_message(const Part& part) {
    const Clock::time_point begin = Clock::now();
    InFlight message{part, {}};
    part.work->begin(part.number, message.requests);
    if (message.requests.empty()) {
      block_.complete(part);
      return;
    }
    if (in_flight_.empty()) first_began_ = begin;
    in_flight_.push_back(std::move(message));
  }

  void fail() {
    if (!block_.failed.exchange(true)) block_.failure = std::current_exception();
  }

  void make_progress() {
    test_messages();
    if (!communicates_ || !block_.progress || block_.failed.load(std::memory_order_relaxed)) return;
    try {
      block_.progress();
    } catch (...) {
      fail();
    }
  }

  void test_messages() {
    if (in_flight_.empty()) return;
    const Clock::time_point begin = Clock::now();
    std::erase_if(in_flight_, [&](InFlight& message) {
      int done = 0;
      MPI_Testall(static_cast<int>(message.requests.size()), message.requests.data(), &done,
                  MPI_STATUSES_IGNORE);
      if (done != 0) block_.complete(message.part);
      return done != 0;
    });
    communicating_s_ += seconds_since(begin);
    if (in_flight_.empty()) on_the_way_s_ += seconds_since(first_began_);
  }

  void finish_messages() {
    const Clock::time_point begin = Clock::now();
    while (!in_flight_.empty()) {
      test_messages();
      if (!in_flight_.empty()) patience_.wait_once();
    }
    waiting_s_ += seconds_since(begin);
  }

  State& block_;
  int before_;
  bool communicates_ = false;
  solve::Patience patience_;
  std::vector<InFlight> in_flight_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point first_began_;  ///< of the messages in flight, if there are any
  double before_s_ = 0, communicating_s_ = 0, waiting_s_ = 0, grains_s_ = 0;
  double on_the_way_s_ = 0;  ///< with a communication running or messages in flight
};

void GrainBlock::run() {
  State& block = *state_;
  if (omp_in_parallel() != 0) {
    throw Error("grain block \"" + block.name + "\"", "run() was called in a parallel region",
                "call it from one thread");
  }
  const int threads = block.options.threads > 0 ? block.options.threads : omp_get_max_threads();
  const auto grains = static_cast<int>(block.grains.size());
  const auto messages = static_cast<int>(block.in_order.size());
  int before = block.options.grains_before;
  if (before < 0) {
    before = grains_before(grains, messages, threads, block.times.grain_s, block.times.message_s);
  }
  ++block.run_number;
  for (const auto& work : block.works) work->complete.store(0, std::memory_order_relaxed);
  block.next_grain.store(0, std::memory_order_relaxed);
  block.next_in_order.store(0, std::memory_order_relaxed);
  block.communicating.store(0, std::memory_order_relaxed);
  block.failed.store(false, std::memory_order_relaxed);
  block.failure = nullptr;
  GrainTimes times;
  times.before = std::min(before, grains);
  std::mutex adding;
  const Clock::time_point begin = Clock::now();
#pragma omp parallel num_threads(threads)
  {
    State::Member member(block, before);
    member.run();
    const std::lock_guard lock(adding);
    member.add_times(times);
  }
  times.total_s = seconds_since(begin);
  if (grains > 0) times.grain_s /= grains;
  if (messages > 0) times.message_s /= messages;
  block.times = times;
  if (block.failure) std::rethrow_exception(block.failure);
}

}  // namespace plait
