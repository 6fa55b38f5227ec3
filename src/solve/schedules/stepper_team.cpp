// SPDX-License-Identifier: BSD-3-Clause
// Schedules in which all threads of the team compute alike: blocking, nonblocking, polled.
#include "solve/schedules/stepper_team.hpp"

#include <time.h>

namespace plait::solve {
namespace {

double cpu_time_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The main thread sends the messages and waits for them. The caller needs a barrier before and
/// after.
void send_and_wait(const StepJob& job, const Member& me) {
  if (!me.leads()) return;
  if (job.times == nullptr) {
    job.halo.send();
    job.waiter.wait(job.halo);
    return;
  }
  const double cpu_before = cpu_time_of_thread();
  job.halo.send();
  Stopwatch watch;
  job.waiter.wait(job.halo);
  job.times->wait_s = watch.lap();
  job.times->exchange_cpu_s = cpu_time_of_thread() - cpu_before;
}

/// A whole exchange by a team. The caller ensures that the cells to send are complete before, and
/// that no thread reads ghosts before all threads have returned.
void exchange(const StepJob& job, const Member& me) {
  Stopwatch watch;
  job.halo.pack(me.id, me.size);
  me.barrier();
  send_and_wait(job, me);
  me.barrier();
  job.halo.unpack(me.id, me.size);
  if (job.times != nullptr) {
    me.barrier();
    if (me.leads()) job.times->exchange_s += watch.lap();
  }
}

/// Begins an exchange and records the time if requested.
void begin(const StepJob& job) {
  Stopwatch watch;
  job.halo.begin(job.fields);
  if (job.times != nullptr) job.times->exchange_s = watch.lap();
}

/// Runs `compute(member)` and an exchange, in the job's order.
template <class Compute>
void one_after_the_other(const StepJob& job, const Compute& compute) {
  begin(job);
  with_team(job.threads, [&](const Member& me) {
    if (job.order == Order::boundary_first) {
      compute(me);
      me.barrier();
      exchange(job, me);
    } else {
      exchange(job, me);
      me.barrier();
      compute(me);
    }
  });
}

void run_overlapped(const StepJob& job, bool polls) {
  if (job.cells.interior.empty()) {
    run_blocking(job);
    return;
  }
  const Int3 block = polls ? polled_block(job.cells.interior, job.block) : job.block;
  const std::span<const Box> interior(&job.cells.interior, 1);
  job.halo.begin(job.fields);
  with_team(job.threads, [&](const Member& me) {
    if (job.order == Order::boundary_first) {
      update_share(job, job.cells.boundary, me.id, me.size);
      me.barrier();
    }
    job.halo.pack(me.id, me.size);
    me.barrier();
    if (me.leads()) job.halo.send();
    bool arrived = false;
    for_share(interior, me.size, me.id, [&](const Box& share) {
      for_blocks(share, block, [&](const Box& box) {
        job.update(box);
        if (polls && me.leads() && !arrived) arrived = job.halo.test();
      });
    });
    if (me.leads() && !arrived) {
      Stopwatch watch;
      job.waiter.wait(job.halo);
      if (job.times != nullptr) job.times->wait_s = watch.lap();
    }
    me.barrier();
    job.halo.unpack(me.id, me.size);
    if (job.order == Order::exchange_first) {
      me.barrier();
      update_share(job, job.cells.boundary, me.id, me.size);
    }
  });
}

}  // namespace

void run_blocking(const StepJob& job) {
  one_after_the_other(job, [&](const Member& me) {
    Stopwatch watch;
    update_share(job, job.cells.own, me.id, me.size);
    if (job.times != nullptr) {
      me.barrier();
      if (me.leads()) job.times->compute_s = watch.lap();
    }
  });
}

void run_nonblocking(const StepJob& job) {
  run_overlapped(job, false);
}

void run_polled(const StepJob& job) {
  run_overlapped(job, true);
}

void run_with_one_less(const StepJob& job) {
  const std::span<const Box> interior(&job.cells.interior, 1);
  one_after_the_other(job, [&](const Member& me) {
    Stopwatch watch;
    if (!me.leads()) update_share(job, interior, me.id - 1, me.size - 1);
    if (me.size == 1) update_share(job, interior, 0, 1);
    me.barrier();
    if (me.leads()) {
      if (job.times != nullptr) job.times->compute_s = watch.lap();
      update_share(job, job.cells.boundary, 0, 1);
      if (job.times != nullptr) job.times->boundary_s = watch.lap();
    }
  });
}

}  // namespace plait::solve
