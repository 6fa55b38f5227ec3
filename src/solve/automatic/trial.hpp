// SPDX-License-Identifier: BSD-3-Clause
// Compares schedules by running them in turn on real steps.
#pragma once

#include <span>
#include <vector>

#include "plait/stepper.hpp"
#include "solve/automatic/turns.hpp"
#include "solve/schedules/stepper_runner.hpp"

namespace plait::solve {

/// Runs some schedules in turn; see Turns.
class Trial {
public:
  /// @param schedules  at least one
  /// @param turn       timed steps per turn; one more before them is not timed
  Trial(Runner& runner, std::span<const Schedule> schedules, int rounds, int turn)
      : runner_(runner), turns_(schedules.size(), rounds, turn) {
    for (const Schedule& schedule : schedules) prepared_.push_back(runner.prepare(schedule));
  }

  [[nodiscard]] bool done() const { return turns_.done(); }
  [[nodiscard]] int steps_left() const { return turns_.steps_left(); }
  /// Runs the next step. Collective; the last one agrees on the result.
  void step(Order order, std::span<const FieldView> fields, const Stepper::Update& update) {
    turns_.before_step();
    runner_.run(prepared_[turns_.current()], order, fields, update);
    turns_.after_step(runner_.halo().grid().comm());
  }
  /// Valid once done(), in the order of the schedules.
  [[nodiscard]] const std::vector<Tried>& result() const { return turns_.result(); }

private:
  Runner& runner_;
  Turns turns_;
  std::vector<Prepared> prepared_;
};

}  // namespace plait::solve
