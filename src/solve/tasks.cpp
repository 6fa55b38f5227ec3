// SPDX-License-Identifier: BSD-3-Clause
// Task mode on OpenMP tasks (Stengel 2010, 4.1.2 and 4.2.2), which the communicating thread joins.
#include "solve/tasks.hpp"

#include "solve/stepper_team.hpp"

namespace plait::solve {
namespace {

void make_task(const Stepper::Update* update, Box box) {
#pragma omp task firstprivate(update, box)
  (*update)(box);
}

/// A task for each block of a box.
void make_tasks(const StepJob& job, const Box& box, const Int3& block) {
  for_blocks(box, block, [&](const Box& piece) { make_task(&job.update, piece); });
}

}  // namespace

void run_tasks(const StepJob& job) {
  if (job.cells.interior.empty()) {
    run_blocking(job);
    return;
  }
  if (job.threads == 1) {
    run_polled(job);
    return;
  }
  const Int3 block = task_block(job.cells.interior, job.threads, job.block);
  job.halo.begin(job.fields);
  with_team(job.threads, [&](const Member& me) {
    if (job.order == Order::boundary_first) {
      update_share(job, job.cells.boundary, me.id, me.size);
      me.barrier();
    }
    job.halo.pack(me.id, me.size);
    me.barrier();
    if (me.leads()) {
      job.halo.send();
      job.waiter.wait(job.halo);
      job.halo.unpack(0, 1);
      if (job.order == Order::exchange_first) {
        for (const Box& box : job.cells.boundary) {
          make_tasks(job, box, task_block(box, job.threads, job.block));
        }
      }
    }
    // OpenMP may grant fewer threads than were asked for.
    if (me.id == 1 || me.size == 1) make_tasks(job, job.cells.interior, block);
  });  // the end of the region waits for all tasks, and its threads take them
}

}  // namespace plait::solve
