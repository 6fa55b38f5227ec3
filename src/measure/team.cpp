// SPDX-License-Identifier: BSD-3-Clause
// A team of bound threads that run jobs together and synchronize with a spinning barrier.
#include "measure/team.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/failure.hpp"
#include "measure/affinity.hpp"
#include "measure/clock.hpp"
#include "plait/error.hpp"

namespace plait::measure {

void SpinBarrier::wait() {
  const unsigned generation = generation_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.store(generation + 1, std::memory_order_release);
    return;
  }
  spin_until([&] { return generation_.load(std::memory_order_acquire) != generation; });
}

Disturbance& Disturbance::operator+=(const Disturbance& other) {
  delay_s += other.delay_s;
  thread_s += other.thread_s;
  return *this;
}

double Disturbance::share() const {
  return thread_s > 0 ? delay_s / thread_s : 0;
}

Team::Team(const std::vector<int>& pus) : barrier_(static_cast<int>(pus.size())) {
  running_ = static_cast<int>(pus.size());
  for (std::size_t i = 0; i < pus.size(); ++i) {
    threads_.emplace_back([this, i, pu = pus[i]] { work(static_cast<int>(i), pu); });
  }
  std::unique_lock lock(mutex_);
  finish_.wait(lock, [this] { return running_ == 0; });
  if (unbound_ == 0) return;
  stop_ = true;
  start_.notify_all();
  lock.unlock();
  for (std::thread& thread : threads_) thread.join();
  throw Failure("measure",
                fmt::format("cannot bind {} of {} threads to their cores", unbound_, pus.size()),
                "give allowed cores with --cores");
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::work(int thread, int pu) {
  const bool bound = bind_this_thread(pu);
  std::unique_lock lock(mutex_);
  if (!bound) ++unbound_;
  if (--running_ == 0) finish_.notify_all();
  std::uint64_t seen = 0;
  while (true) {
    start_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    const Job& job = *job_;
    lock.unlock();
    const std::int64_t delay_before = run_delay_ns();
    const std::int64_t begin = now_ns();
    job(thread);
    const std::int64_t end = now_ns();
    const std::int64_t delay_after = run_delay_ns();
    const Disturbance own{
        static_cast<double>(std::max<std::int64_t>(0, delay_after - delay_before)) * 1e-9,
        static_cast<double>(end - begin) * 1e-9};
    lock.lock();
    disturbance_ += own;
    waited_ = std::max(waited_, own.share());
    if (--running_ == 0) finish_.notify_all();
  }
}

void Team::run(const Job& job) {
  std::unique_lock lock(mutex_);
  job_ = &job;
  waited_ = 0;
  running_ = size();
  ++generation_;
  start_.notify_all();
  finish_.wait(lock, [this] { return running_ == 0; });
}

double Team::time(const Job& part) {
  std::vector<std::int64_t> begins(threads_.size());
  std::vector<std::int64_t> ends(threads_.size());
  run([&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    barrier_.wait();
    begins[index] = now_ns();
    part(thread);
    ends[index] = now_ns();
  });
  return static_cast<double>(*std::max_element(ends.begin(), ends.end()) -
                             *std::min_element(begins.begin(), begins.end())) *
         1e-9;
}

}  // namespace plait::measure
