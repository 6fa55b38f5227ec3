// SPDX-License-Identifier: BSD-3-Clause
// Runs the tasks of a block in one parallel region, with counters as status flags.
#include "grain_block.hpp"

#include <omp.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace plait::lu {

GrainBlock::Task GrainBlock::compute(int grains, std::function<void(int)> run) {
  return add(grains, false, std::move(run));
}

GrainBlock::Task GrainBlock::communicate(std::function<void()> run) {
  return add(1, true, [run = std::move(run)](int) { run(); });
}

GrainBlock::Task GrainBlock::add(int grains, bool communicates, std::function<void(int)> run) {
  auto work = std::make_unique<Work>();
  work->grains = grains;
  work->communicates = communicates;
  work->run = std::move(run);
  if (!communicates) {
    for (int grain = 0; grain < grains; ++grain) grains_.emplace_back(work.get(), grain);
  }
  works_.push_back(std::move(work));
  return {static_cast<int>(works_.size()) - 1};
}

void GrainBlock::after(Task later, Task earlier) {
  works_[static_cast<std::size_t>(later.index)]->earlier.push_back(earlier.index);
}

bool GrainBlock::ready(const Work& work) const {
  return std::all_of(work.earlier.begin(), work.earlier.end(), [&](int index) {
    const Work& earlier = *works_[static_cast<std::size_t>(index)];
    return earlier.complete.load(std::memory_order_acquire) == earlier.grains;
  });
}

void GrainBlock::run() {
#pragma omp parallel num_threads(threads_)
  {
    if (omp_get_thread_num() == 0) communicate_and_help();
    compute_rest();
  }
}

void GrainBlock::communicate_and_help() {
  for (const auto& work : works_) {
    if (!work->communicates) continue;
    while (!ready(*work)) {
      if (!compute_if_ready()) std::this_thread::yield();
      progress_();
    }
    work->run(0);
    work->complete.store(1, std::memory_order_release);
  }
}

/// Takes the next grain unless it would have to wait: the master must not wait for itself.
bool GrainBlock::compute_if_ready() {
  int position = next_.load(std::memory_order_relaxed);
  while (position < static_cast<int>(grains_.size()) &&
         ready(*grains_[static_cast<std::size_t>(position)].first)) {
    if (!next_.compare_exchange_weak(position, position + 1)) continue;
    compute_grain(position);
    return true;
  }
  return false;
}

void GrainBlock::compute_rest() {
  const bool master = omp_get_thread_num() == 0;
  for (int position = next_++; position < static_cast<int>(grains_.size()); position = next_++) {
    while (!ready(*grains_[static_cast<std::size_t>(position)].first)) std::this_thread::yield();
    compute_grain(position);
    if (master) progress_();
  }
}

void GrainBlock::compute_grain(int position) {
  const auto [work, grain] = grains_[static_cast<std::size_t>(position)];
  work->run(grain);
  work->complete.fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace plait::lu
