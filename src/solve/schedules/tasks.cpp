// SPDX-License-Identifier: BSD-3-Clause
// Task mode on OpenMP tasks (Stengel 2010, 4.1.2 and 4.2.2), which the communicating thread joins.
#include "solve/schedules/tasks.hpp"

#include <optional>
#include <vector>

#include "plait/locality_queues.hpp"
#include "solve/schedules/stepper_team.hpp"

namespace plait::solve {
namespace {

/// Creates tasks from blocks and runs them.
class Tasks {
public:
  Tasks(const StepJob& job, PageDomains& pages)
      : job_(job),
        pages_(pages),
        domains_(pages.domains()),
        domain_of_thread_(static_cast<std::size_t>(job.threads)) {
    if (domains_.count() == 1) return;
    queues_.emplace(domains_.distances());
    pages.begin_step();
    look_up(job.cells.interior);
    if (job.order != Order::exchange_first) return;
    for (const Box& box : job.cells.boundary) look_up(box);
  }

  /// Called by each thread of the team, before the barrier that precedes the first task.
  void enter(const Member& me) {
    if (queues_) domain_of_thread_[static_cast<std::size_t>(me.id)] = domains_.of_calling_thread();
  }

  /// Creates a task for each block of a box. Several threads may call it at once.
  void make(const Box& box) {
    for_blocks(box, task_block(box, job_.threads, job_.block), [this](const Box& block) {
      if (queues_) queues_->push(domain_of(block), block);
      make_task(this, block);
    });
  }

private:
  void look_up(const Box& box) {
    std::vector<Box> blocks;
    for_blocks(box, task_block(box, job_.threads, job_.block),
               [&](const Box& block) { blocks.push_back(block); });
    pages_.look_up(job_.fields.front(), blocks);
  }

  [[nodiscard]] int domain_of(const Box& block) const {
    const int of_pages = pages_.of(job_.fields.front(), block);
    return of_pages >= 0 ? of_pages : domain_of_block(block, job_.cells.own[0], domain_of_thread_);
  }

  static void make_task(Tasks* tasks, Box block) {
#pragma omp task firstprivate(tasks, block)
    tasks->run(block);
  }

  /// Updates the block of the task. With queues, updates the next block of the domain that the task
  /// runs in instead. The queues always have as many blocks as there are tasks without one, so a
  /// block is found eventually. A single pop() may fail because other threads push and pop while it
  /// looks into one queue after another.
  void run(const Box& block) {
    if (!queues_) {
      job_.update(block);
      return;
    }
    std::optional<Box> next;
    while (!next) next = queues_->pop(domains_.of_calling_thread());
    job_.update(*next);
  }

  const StepJob& job_;
  PageDomains& pages_;
  const NumaDomains& domains_;
  std::vector<int> domain_of_thread_;
  std::optional<LocalityQueues<Box>> queues_;  ///< only with several domains
};

}  // namespace

int domain_of_block(const Box& block, const Box& own, std::span<const int> domain_of_thread) {
  const std::int64_t rows = std::int64_t{own.extent(1)} * own.extent(2);
  const std::int64_t row =
      std::int64_t{block.first[2] - own.first[2]} * own.extent(1) + (block.first[1] - own.first[1]);
  const auto threads = static_cast<std::int64_t>(domain_of_thread.size());
  return domain_of_thread[static_cast<std::size_t>(row * threads / rows)];
}

void run_tasks(const StepJob& job, PageDomains& pages) {
  if (job.cells.interior.empty()) {
    run_blocking(job);
    return;
  }
  if (job.threads == 1) {
    run_polled(job);
    return;
  }
  Tasks tasks(job, pages);
  job.halo.begin(job.fields);
  with_team(job.threads, [&](const Member& me) {
    tasks.enter(me);
    if (job.order == Order::boundary_first) {
      update_share(job, job.cells.boundary, me.id, me.size);
      me.barrier();
    }
    job.halo.pack(me.id, me.size);
    me.barrier();
    if (me.leads()) {
      job.waiter.make_way();
      job.halo.send();
      job.waiter.wait(job.halo);
      job.halo.unpack(0, 1);
      if (job.order == Order::exchange_first) {
        for (const Box& box : job.cells.boundary) tasks.make(box);
      }
    }
    // OpenMP may grant fewer threads than requested.
    if (me.id == 1 || me.size == 1) tasks.make(job.cells.interior);
  });  // at the end of the region its threads run the remaining tasks
}

}  // namespace plait::solve
