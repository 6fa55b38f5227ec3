// SPDX-License-Identifier: BSD-3-Clause
// Compares schedules by running them in turn on real steps.
#pragma once

#include <span>
#include <vector>

#include "plait/stepper.hpp"
#include "solve/schedules/stepper_runner.hpp"

namespace plait::solve {

/// The result of one schedule in a trial; the same on every rank.
struct Tried {
  double step_s = 0;          ///< of the slowest rank, median of the turns
  double ratio = 1;           ///< to the first schedule in the same round, median
  double ratio_quartile = 1;  ///< upper quartile of the ratios
};

/// Runs some schedules in turn, a few steps each, in several rounds. The others are compared with
/// the first one round by round, so that disturbances affect all of them alike.
class Trial {
public:
  /// @param schedules  at least one
  /// @param turn       timed steps per turn; one more before them is not timed
  Trial(Runner& runner, std::span<const Schedule> schedules, int rounds, int turn);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] int steps_left() const;
  /// The schedule of the next step.
  [[nodiscard]] const Schedule& current() const { return prepared_[schedule_].schedule; }
  /// Runs the next step. Collective; the last one agrees on the result.
  void step(Order order, std::span<const FieldView> fields, const Stepper::Update& update);
  /// Valid once done(), in the order of the schedules.
  [[nodiscard]] const std::vector<Tried>& result() const { return result_; }

private:
  void agree();

  Runner& runner_;
  std::vector<Prepared> prepared_;
  int rounds_;
  int turn_;
  int round_ = 0;
  std::size_t schedule_ = 0;
  int step_ = 0;  ///< of this turn
  Stopwatch watch_;
  std::vector<double> turns_s_;  ///< time of one step in each turn: rounds x schedules
  bool done_ = false;
  std::vector<Tried> result_;
};

}  // namespace plait::solve
