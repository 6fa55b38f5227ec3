// SPDX-License-Identifier: BSD-3-Clause
// Runs steps of transposes in a row, with computation before, between and after them, under any
// schedule.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plait/transpose_stepper.hpp"
#include "solve/schedules/comm_thread.hpp"
#include "solve/schedules/stepper_runner.hpp"

namespace plait::solve {

/// The state of a transpose in a step, for the pipeline's team.
struct StepOfTransposes;

/// Runs steps, one at a time.
class TransposePipeline {
public:
  /// Collective over `comm`, or over the communicator of the first transpose if that is null.
  /// @throws CollectiveError as TransposeStepper
  TransposePipeline(std::span<Transpose* const> transposes, const Schedule& asked, MPI_Comm comm);
  ~TransposePipeline();
  TransposePipeline(const TransposePipeline&) = delete;
  TransposePipeline& operator=(const TransposePipeline&) = delete;

  /// Prepares a schedule for running. Local.
  [[nodiscard]] Prepared prepare(const Schedule& schedule) const;
  /// The schedules that can run here, blocking first, with the wait and poll of `asked`; the same
  /// on all ranks.
  [[nodiscard]] std::vector<Schedule> schedules(const Schedule& asked) const;
  /// Runs one step with omp_get_max_threads() threads. Collective.
  /// @throws Error if the numbers of arrays or works do not fit
  void run(Prepared& prepared, std::span<const TransposeArrays> arrays,
           std::span<const TransposeStepper::Work> works);

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int chunks() const { return transposes_[0]->chunks(); }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] const Agreed& agreed() const { return agreed_; }
  [[nodiscard]] double waited_s() const { return waited_s_.load(std::memory_order_relaxed); }

  // The steps of a chunk of a transpose, for the pipeline's schedules.

  [[nodiscard]] std::size_t count() const { return transposes_.size(); }
  [[nodiscard]] Transpose& transpose(std::size_t number) const { return *transposes_[number]; }
  /// Does share `part` of `parts` of the computation before transpose `stage`, or after the last
  /// one, on the planes of a chunk; calls `between` after each piece.
  template <class Between>
  void compute(const StepOfTransposes& step, std::size_t stage, int chunk, int part, int parts,
               Between&& between) const;
  /// Keeps what a chunk has brought, in verify mode.
  void keep(std::size_t number, int chunk) const;
  [[nodiscard]] bool verifies() const { return agreed_.verifies; }

private:
  void check(std::span<const TransposeArrays> arrays,
             std::span<const TransposeStepper::Work> works) const;
  /// The planes of a stage by chunk; those of the whole are the last.
  [[nodiscard]] const std::vector<IndexRange>& planes(std::size_t stage, int chunk) const {
    const auto set = static_cast<std::size_t>(chunk < 0 ? chunks() : chunk);
    return planes_[stage][set];
  }

  MPI_Comm comm_ = MPI_COMM_NULL;  ///< its own
  std::vector<Transpose*> transposes_;
  std::vector<std::vector<std::vector<IndexRange>>> planes_;
  int ranks_ = 1;
  ThreadLevel granted_;  ///< the lowest of all ranks
  machine::CpuSet cpus_;
  Agreed agreed_;
  std::atomic<double> waited_s_{0};
  std::unique_ptr<HelperThread> helper_;  ///< created when first needed
};

}  // namespace plait::solve
