// SPDX-License-Identifier: BSD-3-Clause
// The automatic schedule of transposes: tries all schedules on real steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plait/stepper.hpp"
#include "solve/automatic/turns.hpp"
#include "solve/transpose/pipeline.hpp"

namespace plait::solve {

/// Chooses a schedule on real steps, by trials that it repeats from time to time. All ranks decide
/// alike, by numbers that they have agreed on. It chooses another schedule than blocking only if
/// that was clearly faster.
class TransposeAutomatic {
public:
  /// @param asked  wait and poll of the schedules to choose from
  TransposeAutomatic(TransposePipeline& pipeline, const Schedule& asked);

  /// Runs the next step. Collective.
  void step(std::span<const TransposeArrays> arrays, std::span<const TransposeStepper::Work> works);

  [[nodiscard]] bool deciding() const { return phase_ != Phase::settled; }
  [[nodiscard]] const Schedule& chosen() const { return prepared_[chosen_].schedule; }
  [[nodiscard]] const std::vector<ScheduleCost>& schedules() const { return costs_; }
  /// The reason for the choice, as a clause, or what it does while deciding().
  [[nodiscard]] std::string reason() const;

private:
  enum class Phase { timing, trying, settled };

  void try_all(int rounds);
  void conclude();

  TransposePipeline& pipeline_;
  std::vector<Prepared> prepared_;   ///< blocking first
  std::vector<ScheduleCost> costs_;  ///< likewise
  Phase phase_ = Phase::timing;
  std::optional<Turns> turns_;
  std::size_t chosen_ = 0;
  std::string reason_;
  int steps_timed_ = 0;
  double step_s_ = 0;  ///< of blocking
  std::int64_t steps_settled_ = 0;
  std::int64_t steps_to_trial_ = steps_to_first_recheck;
};

}  // namespace plait::solve
