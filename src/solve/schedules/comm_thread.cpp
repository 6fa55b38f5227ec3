// SPDX-License-Identifier: BSD-3-Clause
// Task mode with manual distribution (Stengel 2010, 4.2.2): one thread, either a member of the team
// or an extra one, communicates while the others compute.
#include "solve/schedules/comm_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <utility>

#include "solve/schedules/stepper_team.hpp"

namespace plait::solve {
namespace {

/// Lets the calling thread run on any of these; no effect if the system refuses.
void run_on(const machine::CpuSet& cpus) {
  if (cpus.empty() || cpus.last() >= CPU_SETSIZE) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int cpu : cpus.indices()) CPU_SET(static_cast<std::size_t>(cpu), &mask);
  pthread_setaffinity_np(pthread_self(), sizeof mask, &mask);
}

}  // namespace

HelperThread::HelperThread(const machine::CpuSet& cpus) {
  // A thread inherits the signal mask. With all signals blocked here, the program's handlers run on
  // the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, cpus] {
    run_on(cpus);
    run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

HelperThread::~HelperThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HelperThread::start(const std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
  }
  changed_.notify_all();
}

void HelperThread::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return work_ == nullptr; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void HelperThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || work_ != nullptr; });
    if (work_ == nullptr) return;
    const std::function<void()>& work = *work_;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    work_ = nullptr;
    changed_.notify_all();
  }
}

void run_comm_thread_of_team(const StepJob& job) {
  if (job.cells.interior.empty()) {
    run_blocking(job);
    return;
  }
  if (job.threads == 1) {
    run_polled(job);
    return;
  }
  const std::span<const Box> interior(&job.cells.interior, 1);
  job.halo.begin(job.fields);
  with_team(job.threads, [&](const Member& me) {
    if (me.leads()) {
      if (job.order == Order::boundary_first) update_share(job, job.cells.boundary, 0, 1);
      job.halo.pack(0, 1);
      job.waiter.make_way();
      job.halo.send();
      // OpenMP may grant fewer threads than requested.
      if (me.size == 1) update_share(job, interior, 0, 1);
      job.waiter.wait(job.halo);
      job.halo.unpack(0, 1);
      if (job.order == Order::exchange_first) update_share(job, job.cells.boundary, 0, 1);
    } else {
      update_share(job, interior, me.id - 1, me.size - 1);
    }
  });
}

void run_comm_thread_beside_team(const StepJob& job, HelperThread& helper) {
  if (job.cells.interior.empty()) {
    run_blocking(job);
    return;
  }
  const std::span<const Box> interior(&job.cells.interior, 1);
  const auto update = [&](std::span<const Box> boxes) {
    with_team(job.threads, [&](const Member& me) { update_share(job, boxes, me.id, me.size); });
  };
  const std::function<void()> communicate = [&job] {
    job.halo.begin(job.fields);
    job.halo.pack(0, 1);
    job.halo.send();
    job.waiter.wait(job.halo);
    job.halo.unpack(0, 1);
  };
  if (job.order == Order::boundary_first) update(job.cells.boundary);
  helper.start(communicate);
  // With a team of one, the helper shares the core and must send before the team computes.
  if (job.threads == 1) job.waiter.make_way();
  update(interior);
  helper.finish();
  if (job.order == Order::exchange_first) update(job.cells.boundary);
}

}  // namespace plait::solve
