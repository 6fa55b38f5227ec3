// SPDX-License-Identifier: BSD-3-Clause
// A step of transposes by a team of threads: each schedule's division of the work.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>

#include "solve/transpose/pipeline.hpp"

namespace plait::solve {

/// Everything needed to run one step of transposes.
struct StepOfTransposes {
  const TransposePipeline& pipeline;
  std::span<const TransposeStepper::Work> works;
  int threads;
  Waiter& waiter;                 ///< of the thread that communicates
  Wait wait;                      ///< of the threads that compute
  std::atomic<double>& waited_s;  ///< for chunks, by the threads that compute: their mean
};

template <class Between>
void TransposePipeline::compute(const StepOfTransposes& step, std::size_t stage, int chunk,
                                int part, int parts, Between&& between) const {
  const TransposeStepper::Work& work = step.works[stage];
  if (!work) return;
  std::int64_t all = 0;
  for (const IndexRange& range : planes(stage, chunk)) all += range.count();
  const std::int64_t first = all / parts * part + all % parts * part / parts;
  const std::int64_t last = all / parts * (part + 1) + all % parts * (part + 1) / parts;
  std::int64_t before = 0;
  for (const IndexRange& range : planes(stage, chunk)) {
    const IndexRange piece{range.first + std::max<std::int64_t>(0, first - before),
                           range.first + std::min(range.count(), last - before)};
    before += range.count();
    if (piece.count() == 0) continue;
    between(piece, work);
  }
}

/// All planes are computed, then everything is transposed.
void run_transposes_blocking(const StepOfTransposes& step);
/// Chunks travel while another one is computed. `polls`: tests messages between planes.
void run_transposes_overlapped(const StepOfTransposes& step, bool polls);
/// TransposeStepper::progress().
void test_messages_of_step(const TransposePipeline& pipeline);
/// Thread 0 packs, sends and unpacks; the others compute.
void run_transposes_by_comm_thread(const StepOfTransposes& step);
/// The helper thread packs, sends and unpacks; the whole team computes.
void run_transposes_beside_team(const StepOfTransposes& step, HelperThread& helper);

}  // namespace plait::solve
