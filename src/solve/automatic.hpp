// SPDX-License-Identifier: BSD-3-Clause
// The automatic schedule: measures costs, predicts, tries the best few, and takes what has won.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plait/stepper.hpp"
#include "solve/automatic_calibration.hpp"
#include "solve/automatic_trial.hpp"
#include "solve/stepper_runner.hpp"

namespace plait::solve {

/// Chooses a schedule on real steps: calibration, a trial of blocking and of those that the model
/// holds for the best, then the winner; from time to time the winner and its next rival are tried
/// again. All ranks decide alike, by numbers that they have agreed on. Another schedule than
/// blocking is chosen only when it was clearly faster, so that a step is not slowed down.
///
/// Also the measurement of Stepper::measure(), which tries all.
class Automatic {
public:
  /// @param asked  wait, poll and block of the schedules to choose from
  Automatic(Runner& runner, const Schedule& asked);

  /// The next step. Collective.
  void step(Order order, std::span<const FieldView> fields, const Stepper::Update& update);
  /// Steps of every schedule that can run, in so many rounds; decides by them. Collective.
  void measure(std::span<const FieldView> fields, const Stepper::Update& update, int rounds);

  [[nodiscard]] bool deciding() const { return phase_ != Phase::settled; }
  /// The schedule of the next step while nothing is tried.
  [[nodiscard]] const Schedule& chosen() const { return chosen_.schedule; }
  /// Empty before calibration has ended.
  [[nodiscard]] const std::optional<Calibrated>& calibrated() const { return calibrated_; }
  [[nodiscard]] const std::vector<ScheduleCost>& schedules() const { return schedules_; }
  /// What it does while it decides, and for how many steps still: "tries 3 schedules (20 steps
  /// more)".
  [[nodiscard]] std::string doing() const;
  /// Why this schedule, as a sentence.
  [[nodiscard]] const std::string& reason() const { return reason_; }

private:
  enum class Phase { calibrating, trying, settled };

  void predict_all();
  /// Tries what may win, or settles where that is blocking alone.
  void try_promising(int rounds);
  void begin_trial(std::vector<std::size_t> candidates, int rounds, int turn);
  /// Blocking and the few that the model holds for faster.
  [[nodiscard]] std::vector<std::size_t> promising() const;
  /// Notes what the trial has found and chooses.
  void conclude();
  void choose(std::size_t schedule, const std::string& reason);
  void settle();
  /// Steps of a turn, long enough to be timed.
  [[nodiscard]] int turn_steps() const;

  Runner& runner_;
  Phase phase_ = Phase::calibrating;
  bool ever_settled_ = false;
  std::optional<Calibration> calibration_;
  std::optional<Calibrated> calibrated_;
  std::vector<ScheduleCost> schedules_;  ///< blocking first
  std::vector<double> ratios_;           ///< of each to blocking when last tried; 0: not tried
  std::optional<Trial> trial_;
  std::vector<std::size_t> candidates_;  ///< of the trial
  std::size_t chosen_index_ = 0;
  Prepared chosen_;
  std::string reason_;
  std::int64_t steps_settled_ = 0;  ///< since the last trial
  std::int64_t steps_to_trial_ = 0;
};

}  // namespace plait::solve
