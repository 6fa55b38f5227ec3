// SPDX-License-Identifier: BSD-3-Clause
// A step as a block of grains and an exchange (Viet, Yoshinaga, Abderazek and Sowa 2005).
#include "solve/schedules/grains.hpp"

#include <utility>

#include "solve/schedules/stepper_team.hpp"

namespace plait::solve {

std::vector<Box> grains_of(std::span<const Box> boxes, int threads, const Int3& given) {
  std::vector<Box> grains;
  for (const Box& box : boxes) {
    for_blocks(box, task_block(box, threads, given),
               [&](const Box& grain) { grains.push_back(grain); });
  }
  return grains;
}

GrainBlock::Task GrainSteps::updates(GrainBlock& block, const char* name, std::vector<Box> grains) {
  const auto count = static_cast<int>(grains.size());
  return block.compute(name, count, [this, grains = std::move(grains)](int part) {
    job_->update(grains[static_cast<std::size_t>(part)]);
  });
}

void GrainSteps::declare(const StepJob& job, Wait wait) {
  GrainOptions options;
  options.threads = job.threads;
  options.wait = wait;
  options.grains_before = 0;  // the exchange waits only for what it sends
  GrainBlock block("step", options);
  const int parts = job.threads;
  const std::vector<Box> boundary = grains_of(job.cells.boundary, parts, job.block);
  const std::vector<Box> interior = grains_of({&job.cells.interior, 1}, parts, job.block);

  // What depends on the exchange comes last, so that no thread waits while there are grains.
  GrainBlock::Task boundary_first;
  if (job.order == Order::boundary_first) boundary_first = updates(block, "boundary", boundary);
  const auto pack =
      block.compute("pack", parts, [this, parts](int part) { job_->halo.pack(part, parts); });
  if (job.order == Order::boundary_first) block.after(pack, boundary_first);
  const auto exchange = block.communicate("exchange", 1, [this](int) {
    job_->waiter.make_way();
    job_->halo.send();
    job_->waiter.wait(job_->halo);
  });
  block.after(exchange, pack);
  updates(block, "interior", interior);
  const auto unpack =
      block.compute("unpack", parts, [this, parts](int part) { job_->halo.unpack(part, parts); });
  block.after(unpack, exchange);
  if (job.order == Order::exchange_first) block.after(updates(block, "boundary", boundary), unpack);

  declared_[static_cast<std::size_t>(job.order)].emplace(
      Declared{std::move(block), job.threads, job.block, wait});
}

void GrainSteps::run(const StepJob& job, Wait wait) {
  if (job.cells.interior.empty()) {
    run_blocking(job);
    return;
  }
  if (job.threads == 1) {
    run_polled(job);
    return;
  }
  std::optional<Declared>& declared = declared_[static_cast<std::size_t>(job.order)];
  if (!declared || declared->threads != job.threads || declared->grain != job.block ||
      declared->wait != wait) {
    declare(job, wait);
  }
  job_ = &job;
  job.halo.begin(job.fields);
  declared->block.run();
  job_ = nullptr;
}

}  // namespace plait::solve
